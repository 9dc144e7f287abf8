import type { Catalogue } from '../texts.ts';
import { dialogs } from './dialogs.ts';
import { events } from './events.ts';
import { general } from './general.ts';
import { page } from './page.ts';
import { rollouts } from './rollouts.ts';
import { settings } from './settings.ts';
import { told } from './told.ts';
import { workflows } from './workflows.ts';

export const japanese: Catalogue = {
  ...dialogs,
  ...events,
  ...general,
  ...page,
  ...rollouts,
  ...settings,
  ...told,
  ...workflows,
};
