/** `math.Pow(10, places)` as Go computes it: JavaScript's own differs in the last digit for large powers. */
export function powerOfTen(places: number): number {
  if (places === 0) return 1;
  let fraction = 1;
  let exponent = 0;
  // 10 = 0.625 × 2^4
  let square = 0.625;
  let squareExponent = 4;
  for (let rest = Math.abs(places); rest !== 0; rest = Math.floor(rest / 2)) {
    if (squareExponent < -4096 || squareExponent > 4096) {
      exponent += squareExponent;
      break;
    }
    if (rest % 2 === 1) {
      fraction *= square;
      exponent += squareExponent;
    }
    square *= square;
    squareExponent *= 2;
    if (square < 0.5) {
      square += square;
      squareExponent--;
    }
  }
  if (places < 0) {
    fraction = 1 / fraction;
    exponent = -exponent;
  }
  return scale(fraction, exponent);
}

/** `math.Ldexp`, in steps that stay in range. */
function scale(fraction: number, exponent: number): number {
  if (exponent > 2000) return Number.POSITIVE_INFINITY;
  if (exponent < -2000) return 0;
  let value = fraction;
  let rest = exponent;
  for (; rest > 1000; rest -= 1000) value *= 2 ** 1000;
  for (; rest < -1000; rest += 1000) value *= 2 ** -1000;
  return value * 2 ** rest;
}
