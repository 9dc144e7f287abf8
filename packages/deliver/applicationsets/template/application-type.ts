import { ObjectType, TypeModels } from '@tiphys/kubernetes';

/** What strategic merge knows of an Application: finalizers are a set; everything else is merged as JSON, lists as one value. */
export const applicationType = new ObjectType(
  {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: {
      metadata: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: {
          finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
        },
      },
    },
  },
  new TypeModels({}),
  true,
);
