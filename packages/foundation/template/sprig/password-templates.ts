/** Shapes of derived passwords by type; each letter names a set of characters. */
export const passwordTemplates: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    ...[
      'CvcvnoCvcvCvcv',
      'CvcvCvcvnoCvcv',
      'CvcvCvcvCvcvno',
      'CvccnoCvcvCvcv',
      'CvccCvcvnoCvcv',
      'CvccCvcvCvcvno',
      'CvcvnoCvccCvcv',
    ],
    ...[
      'CvcvCvccnoCvcv',
      'CvcvCvccCvcvno',
      'CvcvnoCvcvCvcc',
      'CvcvCvcvnoCvcc',
      'CvcvCvcvCvccno',
      'CvccnoCvccCvcv',
      'CvccCvccnoCvcv',
    ],
    ...[
      'CvccCvccCvcvno',
      'CvcvnoCvccCvcc',
      'CvcvCvccnoCvcc',
      'CvcvCvccCvccno',
      'CvccnoCvcvCvcc',
      'CvccCvcvnoCvcc',
      'CvccCvcvCvccno',
    ],
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

export const passwordCharacters: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};
