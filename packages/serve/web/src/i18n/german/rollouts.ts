import type { Catalogue } from '../texts.ts';

export const rollouts: Catalogue = {
  'revision {revision}': 'Revision {revision}',
  'Revision {revision}': 'Revision {revision}',
  'paused {ago}': 'pausiert {ago}',
  Revisions: 'Revisionen',
  Analyses: 'Analysen',
  Experiments: 'Experimente',
  'dry run': 'Probelauf',
  'succeeds if {condition}': 'gelingt, wenn {condition}',
  'fails if {condition}': 'scheitert, wenn {condition}',
  '{count} measured, last {value}': '{count} Messungen, zuletzt {value}',
  'Nothing measured yet': 'Noch nichts gemessen',
  'Measurements of {name}': 'Messungen von {name}',
  'Succeeds by its comparison with {value}': 'Gelingt durch den Vergleich mit {value}',
  'Fails by its comparison with {value}': 'Scheitert durch den Vergleich mit {value}',
  '{available} of {pods} pods available': '{available} von {pods} Pods verfügbar',
  'Analysis {name}': 'Analyse {name}',
  'It has no ReplicaSets yet.': 'Es gibt noch keine ReplicaSets.',
  'It has no ReplicaSets yet': 'Es gibt noch keine ReplicaSets',
  'no pods': 'keine Pods',
  'Pods of revision {revision} that are available': 'Verfügbare Pods der Revision {revision}',
  '{available} of {wanted} available': '{available} von {wanted} verfügbar',
  '{pods} pods, {ready} ready': '{pods} Pods, {ready} bereit',
  'Set image': 'Image setzen',
  Image: 'Image',
  'There is no earlier revision': 'Es gibt keine frühere Revision',
  'Steps {steps}': 'Schritte {steps}',
  'Canary {weight}': 'Canary {weight}',
  'Weight of the canary': 'Gewicht des Canary',
  '{actual} % of {desired} %': '{actual} % von {desired} %',
  'Needs the right clusters, update, * in argocd-rbac-cm': 'Braucht das Recht clusters, update, * in argocd-rbac-cm',
  'The update is aborted: retry it first': 'Das Update ist abgebrochen: zuerst wiederholen',
  'No update is under way': 'Kein Update ist im Gang',
  'Promote fully': 'Ganz befördern',
  Abort: 'Abbrechen',
  Retry: 'Wiederholen',
  Restart: 'Neu starten',
  'All steps, pauses and analyses that are left of {name} are skipped: its new revision becomes the stable one at once.':
    'Alle übrigen Schritte, Pausen und Analysen von {name} werden übersprungen: die neue Revision wird sofort die stabile.',
  'The update of {name} ends: traffic and pods go back to the stable revision, and the Rollout is Degraded until it is retried or its template is put back.':
    'Das Update von {name} endet: Verkehr und Pods gehen zur stabilen Revision zurück, und der Rollout ist gestört (Degraded), bis er wiederholt oder sein Template zurückgesetzt wird.',
  'The update is aborted already': 'Das Update ist schon abgebrochen',
  'The update of {name} that was aborted begins again at its first step.':
    'Das abgebrochene Update von {name} beginnt wieder beim ersten Schritt.',
  'No update was aborted': 'Kein Update wurde abgebrochen',
  'All pods of {name} are replaced by new ones of the same revisions, a few at a time, as its maxUnavailable allows.':
    'Alle Pods von {name} werden durch neue derselben Revisionen ersetzt, immer ein paar, wie maxUnavailable es erlaubt.',
  'It is the stable one: the update under way ends without its steps.':
    'Sie ist die stabile: das laufende Update endet ohne seine Schritte.',
  'An update begins, with all its steps, pauses and analyses, unless spec.rollbackWindow has it.':
    'Ein Update beginnt, mit allen Schritten, Pausen und Analysen, außer wenn sie in spec.rollbackWindow liegt.',
  'The template of {name} becomes that of revision {revision} ({images}) again.':
    'Das Template von {name} wird wieder das der Revision {revision} ({images}).',
  'Container {container} of {name} gets {image}: an update begins, with all its steps, pauses and analyses.':
    'Container {container} von {name} bekommt {image}: ein Update beginnt, mit allen Schritten, Pausen und Analysen.',
  'the image': 'das Image',
  'Where an Application delivers it, its next sync puts back what Git has: take the change there, too.':
    'Wo eine Anwendung ihn ausliefert, stellt ihr nächster Sync her, was Git hat: die Änderung auch dort machen.',
  'The active Service of {name} is switched to the new revision.':
    'Der aktive Service von {name} wird auf die neue Revision umgestellt.',
  'Next step: {step}.': 'Nächster Schritt: {step}.',
  'It was the last step: the new revision becomes the stable one.':
    'Es war der letzte Schritt: die neue Revision wird die stabile.',
  'The pause of {name} ends, and its update goes on.': 'Die Pause von {name} endet, und das Update geht weiter.',
  '{name} is resumed.': '{name} wird fortgesetzt.',
  'The update of {name} goes on.': 'Das Update von {name} geht weiter.',
  'The step at hand of {name} ({step}) is skipped.': 'Der jetzige Schritt von {name} ({step}) wird übersprungen.',
  stable: 'stabil',
  active: 'aktiv',
  canary: 'Canary',
  preview: 'Vorschau',
  'Filter by name, namespace, phase': 'Nach Name, Namespace, Phase filtern',
  'No rollouts yet.': 'Noch keine Rollouts.',
  'Nothing matches the filter.': 'Nichts passt zum Filter.',
};
