import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';
import { objectsAt, textAt } from '../model/fields.ts';
import type { Health } from '../model/model.ts';

const notReady = defineDiagnosis('ObjectNotReady', 'The controller of an object says that it is not ready');
const shown = 5;

/** A controller that names a field of the specification wants another value there. */
const fieldNamed = /\b(spec\.[A-Za-z0-9_.[\]=-]{1,200}): /;

function manifestRemedy(why: string): { text: string }[] {
  const field = fieldNamed.exec(why)?.[1];
  return field ? [{ text: `Correct ${field} in the manifest, or create what it names` }] : [];
}

/** Conditions by these names tell of trouble where they are True; all others where they are False. */
const bad = /Failed|Failure|Degraded|Stalled|Error|Invalid|Denied|Unhealthy|Disabled|Paused/;

/**
 * What an object says of itself through its conditions, whatever its kind: those that tell of trouble and why. Undefined if there
 * is none, or if its controller has told nothing.
 */
export function explainConditions(object: KubeObject, health: Health): Diagnosis | undefined {
  const troubled = objectsAt(object, 'status', 'conditions').filter((condition) => {
    const status = textAt(condition, 'status');
    return bad.test(textAt(condition, 'type')) ? status === 'True' : status === 'False';
  });
  const told = troubled.find((condition) => textAt(condition, 'message') || textAt(condition, 'reason'));
  if (!told && health.status !== 'Degraded') return undefined;
  const why = told ? textAt(told, 'message') || textAt(told, 'reason') : health.message;
  if (!why) return undefined;
  const { namespace = '', name = '' } = object.metadata;
  const { group } = parseApiVersion(object.apiVersion);
  return diagnose(notReady, {
    message: `${object.kind} ${name} is not ready: ${why}`,
    place: { object: describeKey(keyOf(object)) },
    evidence: troubled.slice(0, shown).map((condition) => {
      const at = textAt(condition, 'lastTransitionTime');
      const reason = textAt(condition, 'reason');
      return {
        name: `condition ${textAt(condition, 'type')}=${textAt(condition, 'status')}${reason ? `, ${reason}` : ''}`,
        value: textAt(condition, 'message'),
        ...(at ? { at } : {}),
      };
    }),
    remedies: [
      ...manifestRemedy(why),
      {
        text: 'See its events and what its controller logs of it',
        paste: `kubectl describe ${object.kind.toLowerCase()}.${group} ${name}${namespace ? ` -n ${namespace}` : ''}`,
      },
    ],
  });
}
