import { DiagnosisError, within } from '@tiphys/diagnosis';

/** Runs something; what it throws gets words in front of its message, as upstream wraps errors: people look for them. */
export async function prefixed<T>(words: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    const inner = within(error, {});
    const diagnosis = { ...inner.diagnosis, message: `${words}: ${inner.diagnosis.message}` };
    const { handling, retryAfter } = inner;
    throw new DiagnosisError(diagnosis, {
      handling,
      cause: error,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}
