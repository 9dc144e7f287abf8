export { privateDatabase, privateFile, privateFolder, writePrivate } from './private.ts';
