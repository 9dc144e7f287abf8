import { defineDiagnosis } from '@tiphys/diagnosis';

export const generatorInvalid = defineDiagnosis(
  'GeneratorInvalid',
  'A generator of an ApplicationSet cannot be evaluated as it is written',
);
export const generatorFailed = defineDiagnosis(
  'GeneratorFailed',
  'A generator of an ApplicationSet could not read its source, so nothing was changed',
);
export const generatorIncomplete = defineDiagnosis(
  'GeneratorIncomplete',
  'A generator of an ApplicationSet gave a result that may lack elements, so no Application was deleted',
);
export const generatorEmpty = defineDiagnosis(
  'GeneratorEmpty',
  'The generators of an ApplicationSet give no elements, so that it makes no Application',
);
export const mergeKeyAbsent = defineDiagnosis(
  'MergeKeyAbsent',
  'No element of a generator has the keys of a merge, so that nothing of it is merged',
);
export const rolloutStepMissing = defineDiagnosis(
  'RolloutStepMissing',
  'No step of a RollingSync selects an Application, so that nothing syncs it',
);
export const strategyIgnored = defineDiagnosis(
  'StrategyIgnored',
  'The strategy of an ApplicationSet is set and not followed',
);
export const strategyStepInvalid = defineDiagnosis(
  'StrategyStepInvalid',
  'A step of a RollingSync is written so that it can never sync what it is for',
);
export const scmRefused = defineDiagnosis(
  'ScmRefused',
  'The API of a Git host did not answer a generator of an ApplicationSet as expected',
);
export const scmRepositoryNotFound = defineDiagnosis(
  'ScmRepositoryNotFound',
  'The repository of a pull-request generator does not exist, or its credentials do not show it',
);
export const scmNotAllowed = defineDiagnosis(
  'ScmNotAllowed',
  'The settings do not permit the Git host of a generator, or the Secret that it names',
);
export const applicationTemplateInvalid = defineDiagnosis(
  'ApplicationTemplateInvalid',
  'The template of an ApplicationSet does not give an Application for an element',
);
export const templateFieldUnknown = defineDiagnosis(
  'TemplateFieldUnknown',
  'The templatePatch of an ApplicationSet sets a field that Applications do not have, which is dropped',
);
export const generatedApplicationInvalid = defineDiagnosis(
  'GeneratedApplicationInvalid',
  'An Application that an ApplicationSet makes is not valid, so it was left out',
);
export const generatedApplicationRefused = defineDiagnosis(
  'GeneratedApplicationRefused',
  'An Application that an ApplicationSet makes could not be written',
);
export const deletionLimitInvalid = defineDiagnosis(
  'DeletionLimitInvalid',
  'The annotation tiphys.dev/deletion-limit of an ApplicationSet cannot be read, so that the limit of the settings holds',
);
export const deletionsHeld = defineDiagnosis(
  'DeletionsHeld',
  'An ApplicationSet would delete more Applications than its limit permits at once, so it waits for a second agreeing evaluation',
);
export const setSettingIgnored = defineDiagnosis(
  'SetSettingIgnored',
  'A setting of the controller of ApplicationSets cannot be read, so that what held before goes on',
);
