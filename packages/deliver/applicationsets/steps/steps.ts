import type { Step } from '@tiphys/controller';
import { apply } from './apply.ts';
import { evaluate } from './evaluate.ts';
import { finalize } from './finalize.ts';
import { prune } from './prune.ts';
import type { SetPass } from './reconciliation.ts';
import { report } from './report.ts';
import { roll } from './roll.ts';
import { validate } from './validate.ts';

/** The way through one pass. Rollouts come before writes, so that what is synced is what is written. */
export const steps: readonly Step<SetPass>[] = [finalize, evaluate, validate, roll, apply, prune, report];
