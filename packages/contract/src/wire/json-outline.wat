;; Cuts the long free texts out of a JSON document, in place; json-outline.ts says what for.
;; `npm run wasm` makes json-outline-code.ts of it.
(module
  ;; The document stands at 0, with 16 bytes of zeros behind it: the end looks like a character that no text may hold.
  (memory (export "memory") 1)

  ;; What was cut out: texts, their characters as JSON.parse counts them (UTF-16 units), and the bytes that these take in
  ;; UTF-8 beyond one each.
  (global $cutCount (export "cutCount") (mut i32) (i32.const 0))
  (global $cutCharacters (export "cutCharacters") (mut i32) (i32.const 0))
  (global $cutFurther (export "cutFurther") (mut i32) (i32.const 0))
  ;; The same of the text that $textEnd saw last.
  (global $characters (mut i32) (i32.const 0))
  (global $further (mut i32) (i32.const 0))

  ;; Returns the length of the document without its long texts. -1 where one of its texts is not JSON (RFC 8259, 7), and
  ;; where of 8 KiB or more not even a quarter was cut out: then the whole is parsed sooner. What stands outside of texts
  ;; is not looked at.
  (func (export "outline") (param $length i32) (param $textMin i32) (result i32)
    (local $at i32) (local $out i32) (local $depth i32) (local $byte i32) (local $end i32)
    (local $isCut i32)
    (global.set $cutCount (i32.const 0))
    (global.set $cutCharacters (i32.const 0))
    (global.set $cutFurther (i32.const 0))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (i32.store8 (local.get $out) (local.get $byte))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (if (i32.eq (local.get $byte) (i32.const 0x22))
          (then
            (local.set $end (call $textEnd (local.get $at)))
            (if (i32.eq (local.get $end) (i32.const -1)) (then (return (i32.const -1))))
            (local.set $isCut (i32.const 0))
            (if (i32.ge_u (i32.sub (local.get $end) (local.get $at)) (local.get $textMin))
              (then
                (if (i32.ge_s (local.get $depth) (i32.const 3))
                  (then
                    (local.set $isCut
                      (i32.and
                        (call $isFreeText (i32.sub (local.get $out) (i32.const 1)))
                        (i32.eqz (call $isDataUrl (local.get $at)))))))))
            (if (local.get $isCut)
              (then
                (global.set $cutCount (i32.add (global.get $cutCount) (i32.const 1)))
                (global.set $cutCharacters
                  (i32.add (global.get $cutCharacters) (global.get $characters)))
                (global.set $cutFurther (i32.add (global.get $cutFurther) (global.get $further)))
                (i32.store (local.get $out) (i32.const 0x222e2e2e))
                (local.set $out (i32.add (local.get $out) (i32.const 4))))
              (else
                (local.set $end (i32.add (local.get $end) (i32.const 1)))
                (call $move (local.get $out) (local.get $at) (local.get $end))
                (local.set $out
                  (i32.add (local.get $out) (i32.sub (local.get $end) (local.get $at))))
                (local.set $end (i32.sub (local.get $end) (i32.const 1)))))
            (local.set $at (i32.add (local.get $end) (i32.const 1)))
            (if
              (i32.and
                (i32.gt_u (local.get $at) (i32.const 8192))
                (i32.gt_u
                  (i32.mul (local.get $out) (i32.const 4))
                  (i32.mul (local.get $at) (i32.const 3))))
              (then (return (i32.const -1)))))
          (else
            ;; A list's brackets and an object's differ in this bit alone.
            (local.set $byte (i32.or (local.get $byte) (i32.const 0x20)))
            (if (i32.eq (local.get $byte) (i32.const 0x7b))
              (then (local.set $depth (i32.add (local.get $depth) (i32.const 1)))))
            (if (i32.eq (local.get $byte) (i32.const 0x7d))
              (then (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))))))
        (br $next)))
    (local.get $out))

  ;; The place of the quote that ends the text that begins at $at; -1 where it has none, or is not JSON. Sets $characters
  ;; and $further.
  (func $textEnd (param $at i32) (result i32)
    (local $block v128) (local $mask i32) (local $byte i32) (local $last i32) (local $below i32)
    (local $start i32) (local $raw i32) (local $escaped i32) (local $surplus i32) (local $code i32)
    (local.set $start (local.get $at))
    (loop $next
      (local.set $block (v128.load (local.get $at)))
      (local.set $mask
        (i8x16.bitmask
          (v128.or
            (i8x16.lt_u (local.get $block) (i8x16.splat (i32.const 0x20)))
            (v128.or
              (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x5c)))))))
      (if (i8x16.bitmask (local.get $block))
        (then
          ;; Bits of the bytes before the one that was found. A character of four bytes has two UTF-16 units.
          (local.set $below
            (i32.and
              (i32.sub (local.get $mask) (i32.const 1))
              (i32.xor (local.get $mask) (i32.const -1))))
          (local.set $raw
            (i32.add
              (local.get $raw)
              (i32.sub
                (i32.popcnt
                  (i32.and
                    (local.get $below)
                    (i8x16.bitmask
                      (i8x16.lt_s (local.get $block) (i8x16.splat (i32.const -64))))))
                (i32.popcnt
                  (i32.and
                    (local.get $below)
                    (i8x16.bitmask
                      (i8x16.ge_u (local.get $block) (i8x16.splat (i32.const 0xf0)))))))))))
      (if (i32.eqz (local.get $mask))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x22))
        (then
          (global.set $further (i32.add (local.get $raw) (local.get $escaped)))
          (global.set $characters
            (i32.sub
              (i32.sub (local.get $at) (local.get $start))
              (i32.add (local.get $raw) (local.get $surplus))))
          (return (local.get $at))))
      (if (i32.ne (local.get $byte) (i32.const 0x5c)) (then (return (i32.const -1))))
      (local.set $byte (i32.load8_u offset=1 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (local.set $surplus (i32.add (local.get $surplus) (i32.const 1)))
      (br_if $next (call $isEscape (local.get $byte)))
      (if (i32.ne (local.get $byte) (i32.const 0x75)) (then (return (i32.const -1))))
      (local.set $surplus (i32.add (local.get $surplus) (i32.const 4)))
      (local.set $last (i32.add (local.get $at) (i32.const 4)))
      (local.set $code (i32.const 0))
      (loop $digit
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.eqz (call $isHex (local.get $byte))) (then (return (i32.const -1))))
        ;; A letter has the bit 0x40, and its lower bits are less by 9 than its value.
        (local.set $code
          (i32.or
            (i32.shl (local.get $code) (i32.const 4))
            (i32.add
              (i32.and (local.get $byte) (i32.const 0xf))
              (i32.mul (i32.shr_u (local.get $byte) (i32.const 6)) (i32.const 9)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $digit (i32.lt_u (local.get $at) (local.get $last))))
      ;; Two halves of a pair take four bytes together.
      (local.set $escaped
        (i32.add
          (local.get $escaped)
          (i32.add
            (i32.ge_u (local.get $code) (i32.const 0x80))
            (i32.and
              (i32.ge_u (local.get $code) (i32.const 0x800))
              (i32.ne
                (i32.and (local.get $code) (i32.const 0xf800))
                (i32.const 0xd800))))))
      (br $next))
    (unreachable))

  ;; Whether the text at $at begins with "data:".
  (func $isDataUrl (param $at i32) (result i32)
    (i32.and
      (i32.eq (i32.load (local.get $at)) (i32.const 0x61746164))
      (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x3a))))

  ;; One of the letters that may follow a backslash alone: " / \ b f n r t
  (func $isEscape (param $byte i32) (result i32)
    (if (i32.eq (local.get $byte) (i32.const 0x6e)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x22)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x2f)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x5c)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x62)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x66)) (then (return (i32.const 1))))
    (if (i32.eq (local.get $byte) (i32.const 0x72)) (then (return (i32.const 1))))
    (i32.eq (local.get $byte) (i32.const 0x74)))

  (func $isHex (param $byte i32) (result i32)
    (i32.or
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      (i32.lt_u
        (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61))
        (i32.const 6))))

  ;; Whether the quote at $at begins the value of a field called "content" or "text".
  (func $isFreeText (param $at i32) (result i32)
    (local $key i32)
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (if (i32.lt_s (local.get $at) (i32.const 10)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x20))
      (then (local.set $at (i32.sub (local.get $at) (i32.const 1)))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x3a)) (then (return (i32.const 0))))
    (if (i64.eq (i64.load (i32.sub (local.get $at) (i32.const 8))) (i64.const 0x22746e65746e6f63))
      (then (local.set $key (i32.sub (local.get $at) (i32.const 9)))))
    (if (i32.eq (i32.load (i32.sub (local.get $at) (i32.const 4))) (i32.const 0x22747865))
      (then
        (if (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 5))) (i32.const 0x74))
          (then (local.set $key (i32.sub (local.get $at) (i32.const 6)))))))
    (if (i32.eqz (local.get $key)) (then (return (i32.const 0))))
    ;; The quote that begins the name, and not one within it.
    (i32.and
      (i32.eq (i32.load8_u (local.get $key)) (i32.const 0x22))
      (i32.ne (i32.load8_u (i32.sub (local.get $key) (i32.const 1))) (i32.const 0x5c))))

  ;; Copies what stands from $from to $end to a place before it, as it is no longer than what was cut out before, or none.
  (func $move (param $to i32) (param $from i32) (param $end i32)
    (if (i32.eq (local.get $to) (local.get $from)) (then (return)))
    (loop $next
      (v128.store (local.get $to) (v128.load (local.get $from)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))))
