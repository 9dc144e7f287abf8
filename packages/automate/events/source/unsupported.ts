import type { Listen } from './source.ts';

const text = 'Pulsar is not supported; it serves the protocol of Kafka too (KoP): use type kafka';

/** A type that the API has and we do not: refused by name, with what to do instead. */
export function pulsarProblem(): string {
  return text;
}

export const listen: Listen = async () => {
  throw new Error(text);
};
