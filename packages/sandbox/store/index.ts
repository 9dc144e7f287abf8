export { Item, type StoreEvent } from './collection.ts';
export { Store, TooLargeError } from './store.ts';
