/** Goes on with a value, at once if it is there already: what needs no waiting stays in one turn of the event loop. */
export function after<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
