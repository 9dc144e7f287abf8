import type { Catalogue } from '../texts.ts';
import { acts } from './acts.ts';
import { dialogs } from './dialogs.ts';
import { events } from './events.ts';
import { forms } from './forms.ts';
import { general } from './general.ts';
import { page } from './page.ts';
import { rollouts } from './rollouts.ts';
import { settings } from './settings.ts';
import { told } from './told.ts';
import { workflows } from './workflows.ts';

export const german: Catalogue = {
  ...acts,
  ...dialogs,
  ...events,
  ...forms,
  ...general,
  ...page,
  ...rollouts,
  ...settings,
  ...told,
  ...workflows,
};
