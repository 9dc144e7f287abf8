import type { S3Artifact } from '../../spec/common.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { s3Client } from '../../wire/s3.ts';
import { eventData } from '../event-data.ts';
import { type Listen, untilAborted } from '../source.ts';

export function minioProblem(spec: Partial<S3Artifact>): SpecProblem | undefined {
  const { accessKey, secretKey, endpoint, bucket, events = [] } = spec;
  if (!accessKey) return missing('accessKey', "access key can't be empty");
  if (!secretKey) return missing('secretKey', "secret key can't be empty");
  if (!endpoint) return missing('endpoint', "endpoint url can't be empty", 'minio:9000');
  if (!bucket?.name) return missing('bucket.name', "bucket name can't be empty");
  const unknown = events.find((event) => !/^s3:[A-Z][A-Za-z]+:(?:\*|[A-Za-z:]+)$/.test(event));
  if (unknown === undefined) return undefined;
  return wrong('events', `unknown event ${unknown}`, 'Write events of S3, such as s3:ObjectCreated:Put');
}

/** Hears of objects of a bucket, by the notifications of a MinIO server. */
export const listen: Listen<S3Artifact> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const { bucket, events = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'], filter, metadata } = spec;
  const client = await s3Client(spec, keys);
  const poller = client.listenBucketNotification(bucket.name, filter?.prefix ?? '', filter?.suffix ?? '', [
    ...events,
  ] as never);
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  poller.on('notification', (record: unknown) =>
    context.dispatch(eventData({ notification: [record] }, metadata)).catch((error: unknown) => context.failed(error)),
  );
  poller.on('error', broken.reject);
  ready();
  try {
    await Promise.race([untilAborted(signal), broken.promise]);
  } finally {
    poller.stop();
  }
};
