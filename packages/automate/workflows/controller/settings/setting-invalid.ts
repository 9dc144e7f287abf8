import { defineDiagnosis } from '@tiphys/diagnosis';

export const settingInvalid = defineDiagnosis(
  'WorkflowSettingInvalid',
  'A key of workflow-controller-configmap or a variable of the controller cannot be read; its default applies',
);
