/** Applications that are rendered at a time for one caller. */
const parallel = 4;

/** What `work` gives for each, in their order. Throws what the first one throws. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}
