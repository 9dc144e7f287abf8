import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Script, shellScript } from './shell-script.ts';

const print = (text: string) => ({ print: text });
const wait = (ms: number) => ({ wait: ms });

const cases: { command: string[]; ends?: boolean; env?: Record<string, string>; script: Script }[] = [
  { command: ['true'], script: { steps: [], exit: 0 } },
  { command: ['false'], script: { steps: [], exit: 1 } },
  { command: ['sleep', '3'], script: { steps: [wait(3000)], exit: 0 } },
  { command: ['sleep', 'infinity'], script: { steps: [] } },
  { command: ['echo', 'a b'], script: { steps: [print('a b')], exit: 0 } },
  { command: ['/bin/sh', '-c', 'exit 7'], script: { steps: [], exit: 7 } },
  {
    command: ['sh', '-c', 'echo one; sleep 2; echo two'],
    script: { steps: [print('one'), wait(2000), print('two')], exit: 0 },
  },
  { command: ['sh', '-c', 'false && echo no || echo yes'], script: { steps: [print('yes')], exit: 0 } },
  { command: ['sh', '-ec', 'echo "a; b" > /tmp/file; echo \'c && d\''], script: { steps: [print('c && d')], exit: 0 } },
  { command: ['bash', '-c', 'echo $WHO ${WHO}'], env: { WHO: 'me' }, script: { steps: [print('me me')], exit: 0 } },
  { command: ['echo', '$(WHO)'], env: { WHO: 'me' }, script: { steps: [print('me')], exit: 0 } },
  {
    command: ['sh', '-c', 'for i in 1 2; do echo n$i; done; exit 3'],
    script: { steps: [print('n1'), print('n2')], exit: 3 },
  },
  {
    command: ['sh', '-c', 'for i in $(seq 1 3); do sleep 1; done'],
    script: { steps: [wait(1000), wait(1000), wait(1000)], exit: 0 },
  },
  {
    command: ['sh', '-c', 'while true; do echo tick; sleep 5; done'],
    script: { steps: [], loop: [print('tick'), wait(5000)] },
  },
  { command: ['sh', '-c', 'while true; do true; done'], script: { steps: [] } },
  { command: ['sh', '-c', 'echo hi; tail -f /dev/null'], script: { steps: [print('hi')] } },
  { command: ['nginx', '-g', 'daemon off;'], script: { steps: [] } },
  { command: ['./migrate'], ends: true, script: { steps: [], exit: 0 } },
  { command: [], script: { steps: [] } },
  { command: [], ends: true, script: { steps: [], exit: 0 } },
];

for (const { command, ends = false, env = {}, script } of cases) {
  test(`${JSON.stringify(command)}${ends ? ' in a pod that is to complete' : ''}`, () => {
    assert.deepEqual(shellScript(command, env, ends), script);
  });
}

test('a loop that would print for ever is bounded', () => {
  const { steps } = shellScript(['sh', '-c', 'for i in $(seq 1 999999999); do echo $i; done'], {}, true);
  assert.ok(steps.length <= 10_002);
});
