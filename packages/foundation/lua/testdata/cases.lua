-- Each case is a chunk between lines of dashes; what it returns is compared with what upstream's interpreter returned.
-- numbers
return {1, 1.5, 1e3, 0x10, .5, 3., 1e-7, 2^53, -0, 1/3, 100/2, 7 % 3, -7 % 3, 7 % -3, 2^0.5, 10 // nil == nil}
----
return {1, 1.5, 1e3, 0x10, .5, 3, 1e-7, 2^53, 1/3, 100/2, 7 % 3, -7 % 3, 7 % -3, 5.5 % 2}
----
return {tostring(1), tostring(1.5), tostring(1e15), tostring(1e20), tostring(1e21), tostring(1e-5), tostring(123456789012), tostring(0.1), tostring(-0), tostring(1/0), tostring(-1/0), tostring(2^31), tostring(100), tostring(1e100)}
----
return {"10" + 5, "3" * "4", 10 .. 20, 1 .. "", "0x10" + 0, " 5 " + 1, -"2", "1e2" + 0}
----
return {tonumber("10"), tonumber("0x1f"), tonumber("  12  "), tonumber("1.5"), tostring(tonumber("abc")), tostring(tonumber("")), tonumber("ff", 16), tonumber("777", 8), tonumber("z", 36), tostring(tonumber("1e5")), tostring(tonumber("5m")), tonumber("1.5e3"), tostring(tonumber(nil)), tonumber("-7"), tostring(tonumber("8", 8))}
----
return {1 == 1.0, "1" == 1, nil == false, 1 < 2, "a" < "b", "a" < "B", "" < "a", 2 <= 2, 3 >= 4, 1 ~= 2, not nil, not 0}
----
return {1 and 2, nil and 1, false or 3, nil or false, 1 or error("x"), false and error("x")}
----
return 1 < "2"
----
return {} < {}
----
return nil .. "x"
----
return 1 + nil
----
return {} + 1
----
return -{}
----
return #5
----
local x; return x.y
----
local x = {}; return x.y.z
----
return obj.a.b.c
----
obj.missing.field = 1
----
local f; f()
----
undefinedfunction()
----
local t = {}; t.method()
----
local t = {}; t:method()
----
return ("x")()
----
error("boom")
----
error("boom", 0)
----
error("boom", 2)
----
error({code = 5})
----
error()
----
local function f() error("deep", 2) end
f()
----
local ok, e = pcall(error, "x") return {ok, e}
----
local ok, e = pcall(function() error("msg") end) return {ok, e}
----
local ok, e = pcall(function() error({a = 1}) end) return {ok, e}
----
local ok, e = pcall(function() local x; x.y = 1 end) return {ok, e}
----
local ok, a, b = pcall(function(...) return ... end, 1, 2) return {ok, a, b}
----
local ok, e = pcall(nil) return {ok, e}
----
local ok, e = xpcall(function() error("in") end, function(m) return "handled " .. m end) return {ok, e}
----
return select("#", xpcall(function() return 1, 2, 3 end, function() end))
----
assert(false)
----
assert(nil, "told")
----
return {assert(1, 2, 3)}
----
local a, b, c = (function() return 1, 2, 3 end)() return {a, b, c}
----
local a, b = ((function() return 1, 2 end)()) return {a, tostring(b)}
----
local function f(...) return select("#", ...), ... end return {f(1, nil, 3)}
----
local function f(...) local a, b = ... return a, b end return {f(1, 2, 3)}
----
local function f(...) local t = {...} return #t end return f(1, 2, 3)
----
local function f(a, ...) return {a, ...} end return f(1, 2, 3)
----
local t = {(function() return 1, 2 end)(), (function() return 3, 4 end)()} return t
----
return {select(2, "a", "b", "c")}
----
return {select(-1, "a", "b", "c")}
----
return {pcall(select, 0)}
----
local t = {} for i = 1, 5 do t[#t + 1] = i * i end return t
----
local t = {} for i = 10, 1, -3 do t[#t + 1] = i end return t
----
local t = {} for i = 1, 0 do t[1] = i end return #t
----
for i = "a", 2 do end
----
for i = 1, {} do end
----
for i = 1, 2, nil do end
----
local t = {} for i = 1, 2, 0.5 do t[#t + 1] = i end return t
----
local t = {} for i, v in ipairs({"a", "b", nil, "d"}) do t[#t + 1] = i .. v end return t
----
local t = {} for k, v in pairs({10, 20, x = 1}) do t[#t + 1] = tostring(k) .. "=" .. tostring(v) end return t
----
local t = {} for k in pairs({}) do t[1] = k end return #t
----
for x in nil do end
----
for k, v in pairs(nil) do end
----
for k, v in ipairs() do end
----
local n = 0 while true do n = n + 1 if n > 5 then break end end return n
----
local n = 0 repeat local done = n >= 3 n = n + 1 until done return n
----
local t = {} for i = 1, 3 do for j = 1, 3 do if j == 2 then break end t[#t + 1] = i .. j end end return t
----
local t = {} for i = 1, 4 do if i % 2 == 0 then goto continue end t[#t + 1] = i ::continue:: end return t
----
local i = 1 ::top:: if i < 5 then i = i + 1 goto top end return i
----
do local x = 1 end return tostring(x)
----
local x = 1 do local x = 2 end return x
----
local x = 1 local function get() return x end x = 5 return get()
----
local fs = {} for i = 1, 3 do fs[i] = function() i = i + 10 return i end end return {fs[1](), fs[1](), fs[2](), fs[3]()}
----
local fs = {} local i = 1 while i <= 3 do local j = i fs[i] = function() j = j + 1 return j end i = i + 1 end return {fs[1](), fs[1](), fs[2]()}
----
local function counter() local n = 0 return function() n = n + 1 return n end, function() return n end end
local inc, get = counter() inc() inc() return {get(), inc(), get()}
----
local function f(n) if n <= 1 then return 1 end return n * f(n - 1) end return f(10)
----
local function loop(n) if n == 0 then return "done" end return loop(n - 1) end return loop(10000)
----
local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end return deep(150)
----
local function deep(n) return 1 + deep(n + 1) end return deep(0)
----
local a, b = 1, 2 a, b = b, a return {a, b}
----
local t = {1, 2} local i = 1 i, t[i] = i + 1, 20 return {i, t[1], t[2]}
----
local t = {} t.a, t.b, t.c = 1, 2 return {t.a, t.b, tostring(t.c)}
----
local t = {} t.x, t["y"], t[1] = (function() return 1, 2, 3, 4 end)() return {t.x, t.y, t[1]}
----
local t = {1, 2, 3, nil, 5} return {#t, t[5]}
----
local t = {n = 1, [1] = "a", "b"; "c", [10] = "z"} return {t[1], t[2], t.n, t[10]}
----
local t = {} t[1] = 1 t[2] = 2 t[4] = 4 return #t
----
local t = {1, 2, 3} t[#t] = nil return #t
----
local t = {} t[1.5] = "a" t[-1] = "b" t[0] = "c" t[true] = "d" return {t[1.5], t[-1], t[0], t[true], #t}
----
local t = {} t[nil] = 1
----
local t = {} t[0/0] = 1
----
return ({})[nil] == nil
----
local t = {} t["1"] = "s" t[1] = "n" return {t["1"], t[1]}
----
local t = {3, 1, 2} table.sort(t) return t
----
local t = {"b", "a", "C"} table.sort(t) return t
----
local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return t
----
local t = {1, "a"} table.sort(t)
----
local t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) return t
----
local t = {1, 2, 3} return {table.remove(t), table.remove(t, 1), #t, tostring(table.remove({}))}
----
local t = {1, 2, 3} table.insert(t, 10, "x") return {#t, t[10]}
----
return {table.concat({1, 2, 3}), table.concat({1, 2, 3}, ", "), table.concat({}, "x"), table.concat({1, 2, 3}, "-", 2), table.concat({1, 2, 3}, "-", 2, 3), table.concat({1, 2, 3}, "-", 3, 2)}
----
return table.concat({1, {}, 3})
----
return table.concat({1, true})
----
return {table.getn({1, 2}), table.maxn({1, 2, [10] = 1})}
----
return {unpack({1, 2, 3})}
----
return {unpack({1, 2, 3}, 2)}
----
return {unpack({1, 2, 3}, 2, 3)}
----
return table.insert(nil, 1)
----
return table.insert({})
----
local mt = {__index = function(t, k) return k .. "!" end} local t = setmetatable({}, mt) return {t.foo, rawget(t, "foo") == nil}
----
local base = {greet = function(self) return "hi " .. self.name end} local o = setmetatable({name = "x"}, {__index = base}) return o:greet()
----
local log = {} local t = setmetatable({}, {__newindex = function(t, k, v) log[#log + 1] = k rawset(t, k, v) end}) t.a = 1 t.a = 2 return {log[1], #log, t.a}
----
local V = {} V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__tostring = function(a) return "V" .. a.x end
V.__concat = function(a, b) return tostring(a) .. "|" .. tostring(b) end
V.__call = function(self, y) return self.x + y end
V.__unm = function(a) return setmetatable({x = -a.x}, V) end
V.__len = function() return 42 end
local function new(x) return setmetatable({x = x}, V) end
local a, b = new(1), new(2)
return {(a + b).x, a == b, a < b, a <= b, a > b, tostring(a), a .. b, a .. "s", "s" .. a, a(10), (-a).x, #a, a == new(1), a ~= new(1)}
----
return getmetatable(setmetatable({}, {__metatable = "locked"}))
----
setmetatable(setmetatable({}, {__metatable = "locked"}), {})
----
return {rawequal(1, 1), rawequal({}, {}), type(nil), type(1), type("x"), type({}), type(print), type(true)}
----
return type()
----
return {next({}), next({5})}
----
local t = {a = 1, b = 2, c = 3} for k in pairs(t) do t[k] = nil end return next(t) == nil
----
local s = "" for w in string.gmatch("one two  three", "%a+") do s = s .. w .. "," end return s
----
local t = {} for k, v in string.gmatch("a=1, b=2", "(%w+)=(%w+)") do t[k] = v end return t
----
return {string.find("hello world", "wor"), string.find("hello", "l+"), string.find("hello", "xyz"), string.find("a.b", ".", 1, true), string.find("hello", "(l)(l)"), string.find("abc", "b", -1)}
----
return {string.find("abc", "", 10), string.find("", ""), string.find("abc", "^b"), string.find("abc", "^a"), string.find("abc", "c$")}
----
return {string.match("key=value", "(%w+)=(%w+)"), string.match("2024-01-02", "%d+-%d+"), tostring((string.match("x", "y"))), string.match("  trim  ", "^%s*(.-)%s*$"), string.match("abc", "()b()")}
----
return {string.gsub("hello world", "o", "0"), string.gsub("abc", "%w", "%0%0"), string.gsub("abc", "(a)(b)", "%2%1"), string.gsub("abc", "", "-"), string.gsub("hello", "l", {l = "L"}), string.gsub("hello", "[aeiou]", function(c) return c:upper() end), string.gsub("abc abc", "abc", "x", 1)}
----
return {string.gsub("a b c", "%s", "%%"), string.gsub("$name is", "%$(%w+)", {name = "bob"}), string.gsub("x", "x", "%%1")}
----
return {("%bxy"):len(), string.match("f(a(b)c)d", "%b()"), string.match("[[x]]", "%[%[(.-)%]%]"), string.match("a-b", "[a%-]+"), string.match("abc]", "[]]"), string.match("^x", "[%^]x"), string.match("a\0b", "%z")}
----
return string.match("abab", "(ab)%1")
----
return string.find("a", "(")
----
return string.find("a", "[a")
----
return string.find("a", "%1")
----
return string.rep("ab", 3) .. string.rep("x", 0) .. string.rep("y", -1)
----
return {string.sub("hello", 2, 4), string.sub("hello", -3), string.sub("hello", 2), string.sub("hello", 0), string.sub("hello", 10), string.sub("hello", 2, -2), string.sub("hello", -100, 2), string.sub("hello", 3, 2)}
----
return {string.upper("abcÄ"), string.lower("ABC"), string.len("abc\0d"), #"äö", string.reverse("abc"), string.byte("A"), string.byte("abc", 2), string.char(72, 105), ("x"):rep(3)}
----
return {string.byte("abc", 1, 3)}
----
return {string.format("%d %5d %-5d| %05d %+d", 42, 42, 42, 42, 42), string.format("%s %10s %-10s|", "a", "b", "c"), string.format("%.2f %5.1f %e %g %g", 3.14159, 2.5, 12345.678, 0.0001, 1e20), string.format("%x %X %o %c", 255, 255, 8, 65), string.format("%q", 'he said "hi"\n'), string.format("%%"), string.format("%s %s", 1, 1.5)}
----
return {string.format("%s %s %s", nil, true, "x"), string.format("%d", 3.7), string.format("%5.2s|", "abc"), string.format("%i", 5)}
----
return {string.format("%d"), string.format("%s %s", "a"), string.format("x", 1, 2), string.format("%d", "5"), string.format("%d", "x")}
----
return {string.format("%g %g %g %g", 100000, 1000000, 1e15, 0.1), string.format("%.3g %.10g", 1234.5678, 1234.5678), string.format("%f", 1e10), string.format("%5.1f|%-8.3f|", 1.25, 2), string.format("%v", 5), string.format("%v", 5.5)}
----
return {math.floor(3.7), math.ceil(3.2), math.max(1, 5, 3), math.min(4, 2), math.abs(-5), math.fmod(7, 3), math.sqrt(16), math.pow(2, 10), math.huge > 1e308, math.pi, math.floor(-3.5), math.modf(3.7)}
----
return {math.floor("3.7"), pcall(math.floor, "x")}
----
return {pcall(math.floor)}
----
return math.max()
----
return {pcall(string.rep)}
----
return {pcall(string.rep, "x", "y")}
----
return {pcall(string.sub, {}, 1)}
----
return ("x"):bad()
----
return {type(os.time()), type(os.date()), os.date("!%Y-%m-%d %H:%M:%S", 0), os.date("!%Y-%m-%dT%H:%M:%SZ", 1700000000)}
----
return os.date("!*t", 86400)
----
return {os.time({year = 2024, month = 1, day = 1, hour = 0}), os.time({year = 2024, month = 2, day = 30}), os.time({year = 2020, month = 13, day = 1, hour = 1, min = 2, sec = 3})}
----
local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) local d, e = coroutine.yield(c * 2) return d + e end)
local t = {} t[1], t[2] = coroutine.resume(co, 1, 2) t[3], t[4] = coroutine.resume(co, 10) t[5], t[6] = coroutine.resume(co, 3, 4) t[7], t[8] = coroutine.resume(co) t[9] = coroutine.status(co) return t
----
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) local t = {} for v in gen do t[#t + 1] = v end return t
----
local co = coroutine.create(function() error("inside") end) return {coroutine.resume(co)}
----
local co = coroutine.create(function() error({x = 1}) end) local ok, e = coroutine.resume(co) return {ok, e.x, coroutine.status(co)}
----
coroutine.yield(1)
----
local co co = coroutine.create(function() return coroutine.status(co), coroutine.running() == co end) return {coroutine.resume(co)}
----
local f = loadstring("return 1 + ...") return f(5)
----
local f, e = loadstring("return +") return {f == nil, type(e)}
----
local env = {y = 5} local f = loadstring("return y") setfenv(f, env) return f()
----
x = 5 return {_G.x, _G["x"], getfenv(1) == _G}
----
return _VERSION
----
local s = [[
line1
line2]] return s
----
local s = [==[a]]b]==] return s
----
return "a\tb\n\65\066\\\"\'\z"
----
return 'a\
b'
----
--[[ long
comment ]] return 1 --[==[ x ]==]
----
return 1; -- semicolon
----
return
----
local t = {f = function(self, x) return x * 2 end} return t:f(4) + t.f(nil, 1)
----
function a() return 1 end local t = {b = {}} function t.b.c() return 2 end function t.b:d() return self == t.b end return {a(), t.b.c(), t.b:d()}
----
local f = function(s) return s end return {f"str", f{1}[1], f[[long]]}
----
return obj.metadata.name
----
return #obj.list
----
local n = 0 for _, c in ipairs(obj.status.conditions) do if c.type == "Ready" and c.status == "True" then n = n + 1 end end return n
----
local hs = {} if obj.status ~= nil then hs.status = "Healthy" hs.message = obj.status.phase end return hs
----
return {obj.float, obj.big, obj.t, tostring(obj.null), obj.unicode, #obj.unicode, obj.empty}
----
obj.metadata.labels.x = "y" obj.empty = nil return obj
----
obj.list[#obj.list + 1] = "new" table.remove(obj.list, 1) return obj.list
----
return {1, nil, 3}
----
return {a = 1, 2}
----
return {[2] = 1}
----
return {print}
----
return print
----
local t = {} t.t = t return t
----
local s = {} return {s, s}
----
return {[true] = 1}
----
return 0/0
----
return {0/0}
----
return {1/0}
----
return {}, 5
----
return nil
----
return "x", {}
----
local x = = 1
----
if x then
----
return }
----
x = 5 y
----
local function f( return end
----
goto nowhere
----
break
----
for i = 1 do end
----
return 'unfinished
----
return [[unfinished
----
x + 1
----
f() = 1
----
return ...
----
local a = {} a.b.c()
----
string.nope("x")
----
return tostring(print):match("^function") == "function"
----
return tostring({}):match("^table: ") ~= nil
----
local t = {} for i = 1, 100 do t[i] = i end for i = 1, 100 do if i % 2 == 0 then t[i] = nil end end local n = 0 for _ in pairs(t) do n = n + 1 end return {n, #t}
----
local a <const> = 1
----
return 5 // 2
----
return 5 & 2
----
return ("a"):rep(3, ",")
----
return table.unpack({1})
----
return table.pack
----
return utf8
----
return {#arg}
----
return 1 .. 2 .. 3
----
return 2 ^ 3 ^ 2
----
return -2 ^ 2
----
return not 1 == 2
----
return 1 + 2 * 3 - 4 / 2
----
return "a" .. 1 + 2 .. "b"
----
return 1 < 2 == true
----
return {-5 % 3, 5 % -3, 5.5 % 1, -1 % 1e10}
----
local t = setmetatable({}, {__index = table}) t:insert(5) return t[1]
----
return require("os") ~= nil
----
return {pcall(require, "nothing")}
----
return string.gsub("hello", "l", 5)
----
return ("test"):find("t", 2)
----
return {("a,b,,c"):gsub(",", ";"), ("k: v"):match("^(%w+):%s*(.+)$")}
----
local r = {} for m in ("10.2.33"):gmatch("%d+") do table.insert(r, tonumber(m)) end return r
----
local t = {5, 2, 8} table.sort(t, function(a, b) return a < b end) return table.concat(t, " ")
----
local s = 0 for i = 1, 1000 do s = s + i end return s
----
local t = {} for w in ("a b c"):gmatch("%w") do t[w] = true end return t
----
return {pcall(ipairs)}
----
return {pcall(setmetatable, 1, {})}
----
return {pcall(setmetatable, {}, 1)}
----
return {tostring(nil), tostring(true), tostring("x")}
----
return tostring()
----
return {pcall(tonumber)}
----
return {pcall(next, {}, "nokey")}
----
local a = {1, 2, 3} a[2] = nil return #a
----
local a = {} a[3] = 1 return #a
----
local a = {n = nil, x = 1} return a
----
return #{n = 1}
----
return #{nil, nil, 3}
----
return #{1, nil}
