export {
  addressBytes,
  bitString,
  type DerElement,
  derElements,
  extension,
  integer,
  objectId,
  sequence,
  TRUE,
  TruncatedDer,
  tagged,
  time,
} from './der.ts';
