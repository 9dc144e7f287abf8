import type { Mode, Question } from './answer.ts';

const literals = String.raw`
1
-1
0x1F
0b101
0o17
1_000_000
1.5
.5
1.
1e3
1.5e-3
1_0.2_5
9223372036854775807
9223372036854775808
0x
0xZZ
0b2
08
1a
1e
1.2.3
"a\tb\n"
'it\'s'
"\u00e9\x41\101\U0001F600"
"\u{1F600}"
"\q"
"\400"
"\ud800"
"open
'a
b"a\xffb"
b'é'
b"\u0041"
true
false
nil
[]
[1, 2, 3,]
[1, "a", nil]
{}
{a: 1, "b": 2, 3: 4, (s): 5,}
{(i): 1}
{,}
{1}
{a: }
[1,,2]
[
(
)
1 2
a b
1 +
+ 1
- -1
!true
not false
not not true
!1
-"a"
-nothing
-mixed[2]
+s
@
a @ b
"\
1 // comment
/* c */ 1
/* open
1 /* x */ + /* y */ 2
;
1; 2
1; 2;
let x = 1; x + 1
let x = 1; let y = 2; x * y
let x = 1; let x = 2; x
let len = 1; len
let i = 1; i
let = 1; 1
let x 1; 2
let x = 5; x; x + 1
if yes { 1 } else { 2 }
if no { 1 } else if yes { 2 } else { 3 }
if 1 { 1 } else { 2 }
if yes { 1 }
`;

const rawTexts = ['`raw`', '`a``b`', '`open', '`a\nb`', '1 +\n  "x" * 2', 'i +\n\tunknown_name', '\ti > "a"'];

const operators = `
1 + 2
1 + 2.5
2.5 + 1
"a" + "b"
1 + "a"
"a" + 1
s + i
mixed[2] + 1
mixed[0] + mixed[1]
nothing + 1
1 - 2.5
5 - 3
"a" - "b"
t - t
t - d
d - d
d + t
t + d
d + d
t + t
i * 2
d * 2
2 * d
d * 2.5
d * d
f * f
"a" * 2
mixed[2] * 2
7 / 2
6 / 3
1 / 0
zero / zero
i / zero
"a" / 2
mixed[2] / 1
7 % 3
-7 % 3
7 % 0
i % zero
7.5 % 2
f % 2
mixed[1] % 2
2 ** 10
2 ^ 0.5
2 ** 3 ** 2
-2 ** 2
mixed[2] ** 2
9223372036854775807 + 1
i64 + i
u8 + u8
u8 * 2
-u8
-i64
-f
1 == 1.0
1 == "1"
i == 42
i64 == 7
i64 == 7.0
u8 == 200
"a" == "a"
nil == nil
nothing == nil
i == nil
mixed[3] == nil
yes == true
yes == 1
mixed[4] == 1
mixed == [1, 2.5, "three", nil, true]
[1, 2] == [1, 2]
[1, 2] == [1.0, 2.0]
ints == [3, 1, 2]
words == ["pear", "apple", "fig"]
words == ints
{a: 1} == {a: 1}
{a: 1} == {a: 1.0}
{a: 1} == 1
obj == obj
obj.b == {c: "deep"}
t == t
d == d
t == 1
1 != 2
s != "x"
1 < 2
1 < 2.5
1.5 >= 1
"a" < "b"
"b" <= "a"
t < t
t <= t
d > d
t < d
1 < "a"
mixed[0] < mixed[2]
mixed[2] > 1
nothing > 1
yes < no
1 < 2 < 3
1 < i < 50
3 > 2 > 1 == true
yes and no
yes or no
yes && !no
yes || nothing
no || mixed[0]
yes && mixed[0]
mixed[0] && yes
1 and 2
i or yes
false and unknown.x
unknown.x and false
true or unknown
true and i
no ? 1 : 2
yes ? "a" : "b"
yes ?: 5
nothing ?: 5
i ? 1 : 2
mixed[0] ? 1 : 2
yes ? no ? 1 : 2 : 3
yes ? nil : 1
no ? [1] : ["a"]
yes ? 1
nothing ?? 5
i ?? 5
nothing ?? nothing ?? 7
nothing ?? 1 + 2
(nothing ?? 1) + 2
obj.missing ?? "default"
1 in [1, 2]
3 in [1, 2]
i in [1, 42]
i64 in [7, 8]
f in [1.5]
"a" in ["a", "b"]
s in ["héllo"]
mixed[0] in ["a", "b"]
mixed[3] in ["a", "b"]
mixed[3] in ["", "b"]
mixed[2] in ["three"]
i in ["a"]
"a" in {a: 1}
"b" in {a: 1}
i in {a: 1}
"app" in labels
mixed[0] in labels
"x" in s
mixed[2] in s
1 in nothing
mixed[3] in obj
nothing in obj
1 not in [1, 2]
not (1 in [1])
i not in ints
2 in 1..3
i in 1..50
f in 1..50
1 not 2
not in
"abc" matches "^a.c$"
s matches "h.*o"
"abc" matches "("
"abc" matches s
s matches mixed[2]
s matches mixed[0]
mixed[0] matches "a"
nothing matches "a"
bytes matches "b"
i matches "a"
"abc" not matches "x"
"abc" contains "b"
s contains "é"
mixed[0] contains "a"
nothing contains "a"
"abc" not contains "x"
i contains "a"
"abc" startsWith "a"
"abc" endsWith "c"
"abc" not endsWith "c"
mixed[3] startsWith "a"
1..3
3..1
zero..i64
1.5..3
mixed[1]..3
mixed[2]..3
1..2000000
"a" | upper()
"a" | upper
[1,2] | map(# * 2) | sum()
words | join(",") | upper()
1 | unknown()
1 | 2
a ?? b || c
nothing ?? 1 == 1
nothing ?? [] | len()
1 <> 2
1 =< 2
1 & 2
1 === 1
a = 1
`;

const access = `
obj.a
obj["a"]
obj.b.c
obj.b.c.d
obj.missing
obj.missing.x
obj.missing?.x
obj.missing?.x.y.z
obj?.b?.c
obj.missing?.["x"]
nothing?.a
nothing?.a.b
nothing.a
nothing[0]
obj.__proto__
obj.constructor
obj.toString
obj.hasOwnProperty
obj.in
obj.not
obj.1
obj.
obj.[
obj?.
obj.list[0]
obj.list[-1]
obj.list[5]
obj.list[-5]
obj.list["a"]
obj.list[1.0]
obj[1]
obj[i]
obj[nothing]
obj[s]
labels.app
labels.missing
labels["tier"]
labels[1]
mixed[0]
mixed[i]
mixed[f]
mixed["x"]
mixed[nothing]
ints[0]
ints[-1]
ints[3]
ints["a"]
ints[f]
words[1]
words.length
s[0]
s[1:3]
"abc"[0]
"abc"[1:]
"abc"[:-1]
"abc"[5:]
"abc"[2:1]
s.length
ints[1:]
ints[:2]
ints[:]
ints[-2:]
ints[1:100]
ints["a":]
ints[:f]
mixed[1:2]
mixed[mixed[2]:]
obj[1:]
i[1:]
nothing[1:]
mixed[3][1:]
mixed[0][1:]
mixed[mixed[2]]
bytes[0]
bytes[1:]
t.Year()
t.Month()
t.Year
t.Nope()
t.Nope
t.Format("2006-01-02")
t.Format(1)
t.Add(d)
t.Sub(t)
d.Hours()
d.String()
d.Minutes() > 60
t.Weekday().String()
i.x
i.x()
s.x
yes.foo
unknown
unknown.x
unknown()
unknown.x()
$env
$env.i
$env["i"]
$env.unknown
$env?.unknown
$env()
get($env, "i")
get($env, "unknown")
constructor
__proto__
toString
toString()
valueOf
hasOwnProperty("i")
add(1, 2)
add(1)
add(1, 2, 3)
add("a", 2)
add(i64, 2)
add(mixed[0], 2)
add(nothing, 2)
add(i, mixed[2])
half(3)
half(1 + 2)
half(i)
half("a")
half(nothing)
fail()
echo(nil)
echo([1])
echo(echo)
echo(1, 2)
join2("a")
join2("a", "b", "c")
join2("a", 1)
join2()
upper2("x")
upper2(mixed[2])
upper2(mixed[0])
i()
s()
obj.a()
obj.b()
obj.missing()
mixed[3]()
(1)()
add
len
-obj.a
!obj.nil
not obj.a
people[0].name
people[5].name
people[0].tags[0]
people?.[0]?.name
people.name
mixed[3]?.x
mixed[0].x
mixed[2].x
mixed[1]?.x
(nothing)?.x ?? "d"
`;

const predicates = `
all([1, 2], # > 0)
all([1, 2], {# > 1})
all([], false)
any(people, .age > 30)
any(people, {.age > 40})
none(ints, # > 5)
one(people, .name == "Bob")
filter(people, .age > 30)
filter(ints, # > 1)
filter(1..10, # % 3 == 0)
map(people, .name)
map(1..3, # * #)
map(1..3, #index)
map(words, {len(#)})
map(people, {name: .name, old: .age > 30})
map(ints, {let x = #; x + 1})
count(people, .age == 31)
count([true, false, true])
count([1, 2])
count(mixed)
sum([1, 2, 3])
sum([1.5, 2])
sum(people, .age)
sum(["a", "b"])
sum([])
sum(words)
sum(mixed)
find(people, .age > 30)
find(people, .age > 90)
find(ints, # == 1)
findIndex(ints, # == 2)
findIndex(ints, # == 9)
findLast(people, .age == 31)
findLastIndex(ints, # > 1)
groupBy(people, .age)
groupBy(1..6, # % 2)
groupBy(people, .tags)
groupBy(words, len(#))
groupBy(words, len(#))[3]
sortBy(people, .age)
sortBy(people, .name, "desc")
sortBy(ints, #)
sortBy(ints, -#)
sortBy(words, len(#))
sortBy(words, #, "up")
sortBy(words, #, 1)
sortBy(mixed, #)
sortBy([], #)
reduce(1..5, #acc + #)
reduce(1..5, #acc * #, 1)
reduce(words, #acc + #, "")
reduce([], #acc)
reduce([], #acc, 7)
reduce(ints, #index)
all(1, true)
all(s, true)
all(nothing, true)
all(obj, true)
all(mixed[0], true)
all(mixed[2], # > 0)
map(mixed[2], #)
map(obj.b, #)
map({}, #)
all(ints)
all()
all(ints, # )
all(ints, 1)
all(mixed, #)
filter(mixed, #)
filter(ints, "a")
map(ints, nil)
filter(ints, nil)
map(ints, #foo)
map(ints, #acc)
#
.x
all(ints, {# > 0; true})
all(ints, # > 0; true)
map(1..2, map(1..2, # + 1))
map(1..2, {let outer = #; map(1..2, # + outer)})
filter(people, .name matches "^A")
filter(people, all(.tags, # == "x"))
filter(people, len(.tags) > 0)[0].name
filter(people, .age > 90)[0]
first(filter(people, .age > 90))
len(filter(ints, # > 1))
map(filter(people, .age > 30), .name)
filter(map(ints, # * 2), # > 2)
any(ints, # > 1) && any(ints, # > 2)
count(ints, # > 1) > 0
ints | filter(# > 1) | map(# * 10)
people | sortBy(.age) | map(.name) | join(" ")
map(people, .missing)
map(people, .missing.x)
map(people, .missing?.x)
all(people, .name)
sum(people, .name)
sum(1..100)
map(1..3, [#, #index])
any(people, .name in ["Bob"])
filter(words, # startsWith "a" or # endsWith "g")
map(ints, ##)
find(ints, #index == 1)
reduce(people, #acc + .age, 0)
`;

const functions = String.raw`
len("héllo")
len([1,2])
len({a: 1})
len(i)
len(nothing)
len(mixed[0])
len(mixed[3])
len(mixed[2])
len()
len(1, 2)
type(1)
type(1.5)
type("a")
type(nil)
type([1])
type({})
type(true)
type(t)
type(d)
type(add)
type(u8)
type(mixed[0])
abs(-5)
abs(5.5)
abs(i64)
abs("a")
abs(mixed[2])
ceil(1.2)
ceil(2)
floor(-1.2)
round(2.5)
round(-2.5)
round(1.4999)
floor("a")
floor(mixed[2])
int("42")
int("4x")
int(4.9)
int(-4.9)
int(i64)
int(true)
int(nil)
int(mixed[3])
int(mixed[4])
int(mixed[2])
int(d)
int("0x10")
int("+5")
float("1.5")
float("abc")
float(3)
float(true)
float(mixed[3])
float("1e400")
string(1)
string(1.0)
string(1e21)
string("a")
string(nil)
string([1, "a", nil])
string({b: 1, a: 2})
string(true)
string(t)
string(d)
trim("  a  ")
trim("__a__", "_")
trim(1)
trim("a", "b", "c")
trim(mixed[0])
trimPrefix("foobar", "foo")
trimPrefix(" a")
trimSuffix("foobar", "bar")
trimSuffix("a ")
upper("héß")
lower("HÉ")
upper(1)
upper(mixed[0])
upper(mixed[3])
upper()
split("a,b,c", ",")
split("a,b,c", ",", 2)
split("abc", "")
split("a,b", ",", 0)
split("a,b", ",", -1)
split("", ",")
split("a")
splitAfter("a,b,c", ",")
splitAfter("a,b,c", ",", 2)
replace("foo", "o", "0")
replace("foo", "o", "0", 1)
replace("abc", "", "-")
replace("abc", "", "-", 2)
replace("foo", "o")
repeat("ab", 3)
repeat("ab", -1)
repeat("ab", 0)
repeat("ab", 2000000)
join(["a", "b"], "-")
join(["a", "b"])
join(words, ",")
join([1, 2])
join(mixed)
join(i)
join(obj.list)
indexOf("héllo", "l")
indexOf("abc", "x")
lastIndexOf("héllol", "l")
hasPrefix("abc", "a")
hasSuffix("abc", "c")
max(1, 2, 3)
max(1, 2.5)
max([1, 2], 3)
max([])
max("a")
max()
max(mixed)
max(mixed[2])
max(1, mixed[2])
min(ints)
min(3, 1.5)
min(i64, i)
min([[3, 1], 2])
mean(1, 2, 3)
mean([1, 2, 3.5])
mean([])
mean("a")
mean(mixed)
median(3, 1, 2)
median([4, 1, 2, 3])
median([])
toJSON({b: [1, 2.5, "x<y>"], a: nil, t: true})
toJSON([])
toJSON({})
toJSON("a")
toJSON(groupBy(ints, #))
toJSON(t)
toJSON(1.0)
toJSON(1e21)
fromJSON("{\"a\": [1, 2.5, null, true]}")
fromJSON("{")
fromJSON("1 2")
fromJSON("")
fromJSON(1)
fromJSON("{\"__proto__\": 1}").__proto__
toBase64("héllo")
fromBase64("aMOpbGxv")
fromBase64("a")
fromBase64("a*==")
duration("1h30m")
duration("1x")
duration("")
duration("1h") + duration("30m")
date("2024-02-29")
date("2024-02-29 10:00:00")
date("2024-02-29T10:00:00Z")
date("2024-02-29T10:00:00+02:00")
date("10:20:30")
date("nope")
date("29/02/2024", "02/01/2006")
date("2024-02-29", "02/01/2006")
date("2024-02-29 10:00", "2006-01-02 15:04", "Europe/Zurich")
date("2024-07-29", "2006-01-02", "Nowhere/None")
date(timezone("America/New_York"), "2024-02-29 10:00:00")
date()
date("2024-02-30")
date("2024-02-29").Year()
date("2024-03-01") - date("2024-02-28")
date("2024-03-01") > date("2024-02-28")
timezone("Europe/Zurich")
timezone("Nowhere/None")
timezone("UTC")
now(1)
now(1, 2)
first([1, 2])
first([])
first(nothing)
first(mixed[0])
first(1)
first("abc")
last([1, 2])
last([])
last(words)
get([1, 2], 0)
get([1, 2], 5)
get([1, 2], "a")
get({a: 1}, "a")
get({a: 1}, "b")
get(obj, "a")
get(obj, 1)
get(nothing, "a")
get(s, 0)
get("abc", 1)
get(mixed[0], "x")
get(1, 2)
get(obj)
take([1, 2, 3], 2)
take([1, 2], 5)
take(ints, 1)
take([1, 2], -1)
take([1], "a")
take(mixed, mixed[1])
take(1, 1)
keys({b: 1})
keys([1])
keys(mixed[0])
values({a: 1})
values(1)
toPairs({a: 1})
toPairs(labels) | len()
fromPairs([["a", 1], ["b", 2]])
fromPairs([["a", 1], [1, 2]])["a"]
fromPairs([["a"]])
fromPairs([1])
fromPairs(toPairs({a: 1}))
reverse([1, 2, 3])
reverse(ints)
reverse("abc")
reverse(mixed[2])
uniq([1, 2, 1, 1.0, "a", "a"])
uniq(1)
uniq(mixed[0])
concat([1], [2, 3])
concat([1], ints, words)
concat([1], 2)
concat()
flatten([1, [2, [3]], []])
flatten(1)
sort([3, 1, 2])
sort([3, 1, 2], "desc")
sort(words)
sort(["b", "a"], "up")
sort([1, "a"])
sort(mixed)
sort(1)
sort([2.5, 1])
sort(ints, 1)
bitand(12, 10)
bitor(12, 10)
bitxor(12, 10)
bitnand(12, 10)
bitshl(1, 10)
bitshl(1, -1)
bitshl(1, 64)
bitshr(-8, 1)
bitushr(-8, 1)
bitnot(5)
bitand(1.5, 1)
bitand("a", 1)
bitand(mixed[1], 1)
bitnot(mixed[2])
bitand(i64, 3)
nope(1)
::len([1])
::nope(1)
len
len + 1
any + 1
upper == 1
none.x
upper("a").x
string(1)[0]
len([1]) == 1 ? "one" : "many"
replace(upper("abc"), "B", "-") | lower()
`;

/** Conditions, filters and triggers as users of the products write them. */
const real = `
obj.b.c == "deep" and obj.a in [1, 2]
people[0].age >= 30 && people[0].name startsWith "A"
all(people, .age > 20) and len(people) == 3
obj.a == 1 or obj.missing.phase in ['Error', 'Failed']
obj.missing?.phase in ['Error', 'Failed']
obj.missing != nil and obj.missing.phase in ['Running']
obj?.missing?.phase == 'Degraded'
mixed[1] >= 2 and mixed[1] < 3
len(mixed) > 0 && mixed[0] <= 1
string(mixed[1]) + "ms"
int("5") + 3 > 7
{a: {b: [1, 2]}}.a.b[1]
{"x": obj.a}["x"] == 1
sum(map(people, .age)) / len(people)
people | filter(.age > 30) | map(.name) | sort() | join(", ")
(t + duration("1h")).Format("15:04")
t.Sub(t - d).Hours()
`;

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Every expression in the modes in which answers may differ. */
export function table(): Question[] {
  const texts = [...new Set([literals, operators, access, predicates, functions, real].flatMap(lines)), ...rawTexts];
  const modes: Mode[] = ['none', 'env', 'undefined'];
  const questions = texts.flatMap((text) => modes.map((mode) => ({ text, mode })));
  const cast = [
    '1',
    '1.5',
    '"a"',
    'i',
    'f',
    'i64',
    'yes',
    'none',
    'mixed[0]',
    'mixed[1]',
    'mixed[2]',
    'mixed[4]',
    'd',
    'len(s)',
    'i > 1',
  ];
  const casts = cast.flatMap((text) => (['bool', 'int', 'float'] as const).map((mode) => ({ text, mode })));
  return [...questions, ...casts];
}
