import type { Machine } from '../run/machine.ts';
import type { LuaValue } from '../run/value.ts';
import type { Arguments } from './arguments.ts';
import { fill, type LibraryFunction } from './define.ts';

const one =
  (compute: (x: number) => number): LibraryFunction =>
  (args) => [compute(args.number(1))];
const two =
  (compute: (x: number, y: number) => number): LibraryFunction =>
  (args) => [compute(args.number(1), args.number(2))];

const functions: Readonly<Record<string, LibraryFunction>> = {
  abs: one(Math.abs),
  acos: one(Math.acos),
  asin: one(Math.asin),
  atan: one(Math.atan),
  atan2: two(Math.atan2),
  ceil: one(Math.ceil),
  cos: one(Math.cos),
  cosh: one(Math.cosh),
  deg: one((x) => (x * 180) / Math.PI),
  exp: one(Math.exp),
  floor: one(Math.floor),
  fmod: two((x, y) => x % y),
  frexp: (args) => split(args.number(1)),
  ldexp: (args) => [args.number(1) * 2 ** args.integer(2)],
  log: one(Math.log),
  log10: one(Math.log10),
  max: (args, machine) => [extreme(args, machine, (a, b) => a > b)],
  min: (args, machine) => [extreme(args, machine, (a, b) => a < b)],
  mod: two((x, y) => {
    const rest = x % y;
    return (y > 0 && rest < 0) || (y < 0 && rest > 0) ? rest + y : rest;
  }),
  modf(args) {
    const x = args.number(1);
    return [Math.trunc(x), Number.isFinite(x) ? x % 1 : Number.NaN];
  },
  pow: two((x, y) => x ** y),
  rad: one((x) => (x * Math.PI) / 180),
  sin: one(Math.sin),
  sinh: one(Math.sinh),
  sqrt: one(Math.sqrt),
  tan: one(Math.tan),
  tanh: one(Math.tanh),
};

/** `random` gives the same numbers in every run: what a script says depends on its object alone. */
export function openMath(machine: Machine): void {
  let seed = 1;
  const draw = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed - 1) / 2_147_483_646;
  };
  const library = fill(machine, {
    ...functions,
    random(args) {
      if (args.count === 0) return [draw()];
      const low = args.count === 1 ? 1 : args.integer(1);
      const high = args.integer(args.count === 1 ? 1 : 2);
      if (high < low) throw machine.argumentError(args.count === 1 ? 1 : 2, 'interval is empty');
      return [low + Math.floor(draw() * (high - low + 1))];
    },
    randomseed(args) {
      seed = (Math.abs(args.integer(1)) % 2_147_483_646) + 1;
      return [];
    },
  });
  library.later(() => {
    library.set('pi', Math.PI);
    library.set('huge', Number.MAX_VALUE);
  });
  machine.globals.set('math', library);
  machine.registry.set('math', library);
}

function extreme(args: Arguments, machine: Machine, better: (a: number, b: number) => boolean): LuaValue {
  if (args.count === 0) throw machine.error('wrong number of arguments');
  let best = args.number(1);
  for (let i = 2; i <= args.count; i++) {
    const candidate = args.number(i);
    if (better(candidate, best)) best = candidate;
  }
  return best;
}

/** A fraction from 0.5 up to 1 and the power of two that give the number together. */
function split(x: number): LuaValue[] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(x))) + 1);
  let fraction = x * 2 ** -exponent;
  for (; Math.abs(fraction) < 0.5; exponent--) fraction *= 2;
  for (; Math.abs(fraction) >= 1; exponent++) fraction /= 2;
  return [fraction, exponent];
}
