import type { Catalogue } from '../texts.ts';

/** What the server writes into Events and the history. */
export const told: Catalogue = {
  'Updated sync status: {from} -> {to}': 'Sync-Status geändert: {from} → {to}',
  'Updated health status: {from} -> {to}': 'Zustand geändert: {from} → {to}',
  'Sync operation to {revision} succeeded': 'Synchronisation auf {revision} erfolgreich',
  'Sync operation to {revision} failed: {message}': 'Synchronisation auf {revision} gescheitert: {message}',
  'Partial sync operation to {revision} succeeded': 'Teilweise Synchronisation auf {revision} erfolgreich',
  'Partial sync operation to {revision} failed: {message}':
    'Teilweise Synchronisation auf {revision} gescheitert: {message}',
  'Initiated automated sync to {revision}': 'Automatische Synchronisation auf {revision} begonnen',
  'Sync to {revision}: {count} of {total} objects to change':
    'Synchronisation auf {revision}: {count} von {total} Objekten zu ändern',
  'Sync to {revision} succeeded: {message}': 'Synchronisation auf {revision} erfolgreich: {message}',
  'Sync to {revision} ended {phase}: {message}': 'Synchronisation auf {revision} endete mit {phase}: {message}',
  'The tracked revision is {revision}, and was {before}': 'Die verfolgte Revision ist {revision} und war {before}',
  'Sync status {from} → {to}': 'Sync-Status {from} → {to}',
  'Health {from} → {to}': 'Zustand {from} → {to}',
  'Revision {revision} is in quarantine: {message}': 'Revision {revision} ist in Quarantäne: {message}',
  'Revision {revision} is out of quarantine': 'Revision {revision} ist aus der Quarantäne',
  '{user} initiated partial sync locally': '{user} hat eine teilweise Synchronisation lokaler Manifeste begonnen',
  '{user} initiated sync locally': '{user} hat eine Synchronisation lokaler Manifeste begonnen',
  '{user} initiated partial sync to {revision}': '{user} hat eine teilweise Synchronisation auf {revision} begonnen',
  '{user} initiated sync to {revision}': '{user} hat eine Synchronisation auf {revision} begonnen',
  '{user} initiated rollback to {id}': '{user} hat die Rückkehr zu {id} begonnen',
  '{user} terminated running operation': '{user} hat den laufenden Vorgang abgebrochen',
  '{user} created application': '{user} hat die Anwendung angelegt',
  '{user} updated application spec': '{user} hat die Anwendung geändert',
  '{user} deleted application': '{user} hat die Anwendung gelöscht',
  '{user} ran action {action} on resource {object}': '{user} hat die Aktion {action} auf {object} ausgeführt',
  '{user} patched resource {object}': '{user} hat {object} geändert',
  '{user} deleted resource {object}': '{user} hat {object} gelöscht',
  '{user} promoted {name} by commit {commit} to {branch}':
    '{user} hat {name} mit Commit {commit} nach {branch} übernommen',
  'successfully synced (all tasks run)': 'alles ausgeführt',
  'successfully synced (no more tasks)': 'nichts mehr zu tun',
  'one or more objects failed to apply': 'ein Objekt oder mehrere konnten nicht angewendet werden',
  'one or more objects failed to apply (dry run)':
    'ein Objekt oder mehrere konnten nicht angewendet werden (Probelauf)',
  'one or more synchronization tasks are not valid': 'eine Aufgabe oder mehrere des Syncs sind ungültig',
  'Operation terminated': 'Vorgang abgebrochen',
  'automated sync': 'automatische Synchronisation',
  'self-heal': 'Selbstheilung',
  'health gate': 'Zustandsprüfung',
  controller: 'Controller',
  repository: 'Repository',
  'This cluster has no {kinds}: the kind {kind} of {version} is not installed.':
    'Dieser Cluster hat keine {kinds}: Die Art {kind} von {version} ist nicht installiert.',
  'The events run in another process, which has their ways: ask the one that has them, `tiphys up` without a role or with --role events.':
    'Die Ereignisse laufen in einem anderen Prozess, der ihre Wege kennt: Fragen Sie den, der sie hat, `tiphys up` ohne Rolle oder mit --role events.',
};
