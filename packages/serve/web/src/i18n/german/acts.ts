import type { Catalogue } from '../texts.ts';

/** Menus, remedies and who wrote what. */
export const acts: Catalogue = {
  'Allow it in project {name}': 'In Projekt {name} erlauben',
  'Confirm the deletion': 'Löschen bestätigen',
  'Ignore the difference': 'Unterschied ignorieren',
  'Set the option': 'Option setzen',
  'Sync again …': 'Erneut synchronisieren …',
  'This is added to the project, and holds for all of its applications:':
    'Dies kommt zum Projekt hinzu und gilt für alle seine Anwendungen:',
  'adds {what} to this application': 'fügt dieser Anwendung {what} hinzu',
  'Who wrote this …': 'Wer schrieb das …',
  'Who wrote what differs in {object}': 'Wer schrieb, was sich in {object} unterscheidet',
  'In the cluster': 'Im Cluster',
  'In the repository': 'Im Repository',
  nobody: 'niemand',
  'Refresh {name}': '{name} aktualisieren',
  'Sync …': 'Synchronisieren …',
  'Go to its page': 'Zu seiner Seite',
  'Go to the page of {name}': 'Zur Seite von {name}',
  'Edit the sync window': 'Zeitfenster bearbeiten',
  'Not logged in': 'Nicht angemeldet',
  'Nobody can log in: there is neither a local account that may, nor single sign-on. Set admin.enabled or oidc.config in the ConfigMap argocd-cm.':
    'Niemand kann sich anmelden: Es gibt weder ein lokales Konto, das darf, noch Single Sign-on. admin.enabled oder oidc.config in der ConfigMap argocd-cm setzen.',
  '{what}, backwards': '{what}, rückwärts',
  'Sync the application that is shown': 'Die gezeigte Anwendung synchronisieren',
  'Refresh the application that is shown': 'Die gezeigte Anwendung aktualisieren',
  Diagnoses: 'Diagnosen',
  'No diagnosis has this code.': 'Keine Diagnose hat diesen Code.',
  'Every failure that is named, by the code that diagnoses carry.':
    'Jeder benannte Fehler, nach dem Code, den Diagnosen tragen.',
  'What this diagnosis means': 'Was diese Diagnose bedeutet',
  Finished: 'Beendet',
  '{count} were chosen': '{count} waren ausgewählt',
  'What {name} owns': 'Was {name} gehört',
  'Unfold what it owns': 'Ausklappen, was ihm gehört',
  'Fold what it owns': 'Einklappen, was ihm gehört',
  'Fold all': 'Alles einklappen',
  'Unfold all': 'Alles ausklappen',
  'Next application of the list': 'Nächste Anwendung der Liste',
  'Previous application of the list': 'Vorige Anwendung der Liste',
  'Select the application at hand': 'Die Anwendung auswählen, bei der man ist',
};
