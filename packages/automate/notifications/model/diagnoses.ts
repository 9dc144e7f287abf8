import { defineDiagnosis } from '@tiphys/diagnosis';

export const settingsInvalid = defineDiagnosis(
  'NotificationSettingsInvalid',
  'An entry of the ConfigMap or the Secret of the notifications can not be read.',
  'N3',
);
export const secretKeyMissing = defineDiagnosis(
  'NotificationSecretKeyMissing',
  'A service of the notifications refers to a key that the Secret of the notifications does not have.',
  'N3',
);
export const serviceUnknown = defineDiagnosis(
  'NotificationServiceUnknown',
  'A subscription names a service that the settings of the notifications do not have.',
);
export const triggerUnknown = defineDiagnosis(
  'NotificationTriggerUnknown',
  'A subscription names a trigger that the settings of the notifications do not have.',
);
export const triggerForeign = defineDiagnosis(
  'NotificationTriggerForeign',
  'A subscription names a trigger that asks about objects of another kind.',
);
export const subscriptionUnreadable = defineDiagnosis(
  'NotificationSubscriptionUnreadable',
  'A list of subscriptions in an annotation can not be read, so that it subscribes nobody.',
);
export const templateUnknown = defineDiagnosis(
  'NotificationTemplateUnknown',
  'A trigger sends a template that the settings of the notifications do not have.',
);
export const templateFailed = defineDiagnosis(
  'NotificationTemplateFailed',
  'A template of the notifications failed on the object that it tells of.',
  'N1',
);
export const recipientUnknown = defineDiagnosis(
  'NotificationRecipientUnknown',
  'A service of the notifications has no address or key for a recipient.',
);
export const optionMissing = defineDiagnosis(
  'NotificationOptionMissing',
  'A service of the notifications lacks an option, or a template a field, without which nothing can be sent.',
);
export const credentialsRefused = defineDiagnosis(
  'NotificationCredentialsRefused',
  'The receiver of a notification refused the credentials of the service.',
  'N4',
);
export const refused = defineDiagnosis(
  'NotificationRefused',
  'The receiver of a notification answered that it does not take it.',
  'N4',
);
export const unreachable = defineDiagnosis(
  'NotificationReceiverUnreachable',
  'The receiver of a notification could not be reached, or did not answer in time.',
  'N4',
);
export const gaveUp = defineDiagnosis(
  'NotificationGivenUp',
  'A notification could not be delivered for a day and is not tried any more.',
);
export const kindForbidden = defineDiagnosis(
  'NotificationKindForbidden',
  'Nobody is told of objects of a kind, since the identity of the controller may not list them.',
);
export const eventsForbidden = defineDiagnosis(
  'NotificationEventsForbidden',
  'Notifications at Events are not sent, since the identity of the controller may not list Events.',
);
