import { applicationSetCatalogue } from './application-sets.ts';
import { applicationCatalogue } from './applications.ts';
import { joined } from './catalogue.ts';

/** What argocd-notifications-cm need not have: triggers and templates of Applications and of ApplicationSets. */
export const argocdCatalogue = joined(applicationCatalogue, applicationSetCatalogue);
