import type { Catalogue } from '../texts.ts';
import { events } from './events.ts';
import { general } from './general.ts';
import { page } from './page.ts';
import { rollouts } from './rollouts.ts';
import { workflows } from './workflows.ts';

export const japanese: Catalogue = { ...general, ...page, ...events, ...rollouts, ...workflows };
