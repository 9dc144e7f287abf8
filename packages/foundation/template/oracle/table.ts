import type { Question } from './oracle.ts';
import { data, functionNames, operands } from './random-questions.ts';

const verbs = 'vTtbcdoOqxXUeEfFgGsz'.split('');
const printed = [
  '1',
  '-42',
  '3.14',
  '1e21',
  '"héé€"',
  'true',
  'nil',
  '.list',
  '.map',
  '.bytes',
  "'x'",
  '(list)',
  '1i',
  '(duration 90)',
];
const layouts = [
  '2006-01-02T15:04:05Z07:00',
  'Mon Jan _2 15:04:05 2006',
  '3:04PM',
  '06 002 .000',
  '-0700 MST',
  '__2 2006',
];
const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Nowhere/X'];
const constraints =
  `>1.2 >=1.2.3 <2 <=2.x !=1.2 ~1.2 ~1 ~1.2.3-0 ^1.2 ^0.0 ^0 ^0.2.3 1.x * 1.2.* >=1.2.3-beta <2.0.0-0 1.2-2.0 || =1.2.3 x ^1 >1||<0.5 >=v1`.split(
    ' ',
  );
const versions = [
  '1.2.3',
  'v1.2.3',
  '1.2',
  '2.0.0-rc.1',
  '1.2.3-beta',
  '0.2.5',
  '1.2.3+meta',
  '0.0.3',
  '1.30.0-gke.100',
];

/** One question for each function with each kind of argument, each verb and flag, and each way to fail. */
export function table(): Question[] {
  const questions: Question[] = [];
  const ask = (template: string): void => void questions.push({ template, data });
  for (const name of functionNames) {
    ask(`{{ ${name} }}`);
    const isHungry = /^(repeat|until|untilStep|seq|n?indent|wrap.*)$/.test(name);
    for (const operand of operands) {
      if (isHungry && /^\.(i64|big)$/.test(operand)) continue;
      ask(`{{ ${name} ${operand} }}`);
      ask(`{{ printf "%#v" (${name} "a" ${operand}) }}`);
      if (!isHungry) ask(`{{ toJson (${name} ${operand} 2) }}`);
    }
  }
  for (const verb of verbs) {
    for (const flags of ['', '+', '-10', '#', ' ', '08', '.2', '+10.3', '#.1']) {
      for (const value of printed) ask(`{{ printf "%${flags}${verb}" ${value} }}`);
    }
  }
  for (const constraint of [...constraints, '>=1.0.0 <2', '1.2 - 2', '']) {
    for (const version of versions) ask(`{{ semverCompare "${constraint}" "${version}" }}`);
  }
  for (const layout of layouts) {
    for (const zone of zones) ask(`{{ dateInZone "${layout}" 1720098309 "${zone}" }}`);
    for (const text of ['2024-02-29T13:05:09+05:30', 'Thu Jul  4 13:05:09 2024', '1:05PM', '24 186 .123', '']) {
      ask(`{{ mustToDate "${layout}" "${text}" }}`);
    }
  }
  return questions;
}
