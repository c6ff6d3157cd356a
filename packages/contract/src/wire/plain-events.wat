;; Recognizes the plain events of a stream where they lie; plain-events.ts says what they are and how a form is laid out.
;; `npm run wasm` makes plain-events-code.ts of it. It refuses whatever it is not sure of: then the event is parsed.
(module
  ;; Forms stand in the first page. The bytes of a stream begin at the second, with 64 zeros behind them: the end looks like
  ;; a character that no text, name or line may hold.
  (memory (export "memory") 2)

  ;; Of the events that $scan passed: how many they are, the bytes of their texts, the choices and the calls they belong to as
  ;; bits, and the place of the last one that reports usage, or zeros.
  (global $events (export "events") (mut i32) (i32.const 0))
  (global $textBytes (export "textBytes") (mut i32) (i32.const 0))
  (global $choices (export "choices") (mut i32) (i32.const 0))
  (global $calls (export "calls") (mut i32) (i32.const 0))
  (global $usageStart (export "usageStart") (mut i32) (i32.const 0))
  (global $usageEnd (export "usageEnd") (mut i32) (i32.const 0))
  ;; Of the event that is being read.
  (global $form (mut i32) (i32.const 0))
  (global $seen (mut i32) (i32.const 0))
  (global $eventText (mut i32) (i32.const 0))
  (global $eventChoice (mut i32) (i32.const 0))
  (global $eventCall (mut i32) (i32.const 0))
  (global $isCall (mut i32) (i32.const 0))
  (global $hasText (mut i32) (i32.const 0))
  (global $hasUsage (mut i32) (i32.const 0))
  (global $hasCount (mut i32) (i32.const 0))
  ;; Whether texts count: not behind a member that repeats them.
  (global $isCounted (mut i32) (i32.const 0))
  ;; Whether the text that $textEnd saw last has a backslash.
  (global $isEscaped (mut i32) (i32.const 0))

  ;; The end of the plain events that begin at $at, either all or none of which belong to calls.
  (func (export "scan") (param $at i32) (param $form i32) (result i32)
    (local $end i32)
    (global.set $form (local.get $form))
    (global.set $events (i32.const 0))
    (global.set $textBytes (i32.const 0))
    (global.set $choices (i32.const 0))
    (global.set $calls (i32.const 0))
    (global.set $usageStart (i32.const 0))
    (global.set $usageEnd (i32.const 0))
    (loop $next
      (local.set $end (call $event (local.get $at)))
      (if (i32.eqz (local.get $end)) (then (return (local.get $at))))
      (if
        (i32.and
          (i32.ne (global.get $events) (i32.const 0))
          (i32.ne (i32.eqz (global.get $calls)) (i32.eqz (global.get $eventCall))))
        (then (return (local.get $at))))
      (global.set $events (i32.add (global.get $events) (i32.const 1)))
      (global.set $textBytes (i32.add (global.get $textBytes) (global.get $eventText)))
      (global.set $choices (i32.or (global.get $choices) (global.get $eventChoice)))
      (global.set $calls (i32.or (global.get $calls) (global.get $eventCall)))
      (if (global.get $hasUsage)
        (then
          (global.set $usageStart (local.get $at))
          (global.set $usageEnd (local.get $end))))
      (local.set $at (local.get $end))
      (br $next))
    (unreachable))

  ;; The end of the block that begins at $at, or of the blank lines there; 0 where it mixes line ends, or is not whole before
  ;; $end.
  (func (export "blockEnd") (param $at i32) (param $end i32) (result i32)
    (local $start i32)
    (local.set $start (local.get $at))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a))
      (then
        (loop $blank
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $blank (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a))))
        (return (local.get $at))))
    (loop $next
      (local.set $at (call $lineEnd (local.get $at)))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0d))
        (then
          (if (i32.eq (local.get $at) (local.get $start)) (then (return (i32.const 0))))
          (if (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x0a))
            (then (return (i32.const 0))))
          (if (i32.eq (i32.load (local.get $at)) (i32.const 0x0a0d0a0d))
            (then (return (i32.add (local.get $at) (i32.const 4)))))
          (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x0a0d))
            (then (return (i32.const 0))))))
      (if (i32.eq (i32.load16_u (local.get $at)) (i32.const 0x0a0a))
        (then (return (i32.add (local.get $at) (i32.const 2)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $next))
    (unreachable))

  ;; The place of the next control character.
  (func $lineEnd (param $at i32) (result i32)
    (local $mask i32)
    (loop $next
      (local.set $mask
        (i8x16.bitmask
          (i8x16.lt_u (v128.load (local.get $at)) (i8x16.splat (i32.const 0x20)))))
      (if (i32.eqz (local.get $mask))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next))))
    (i32.add (local.get $at) (i32.ctz (local.get $mask))))

  ;; The functions below return the place behind what they read, or 0 where they refuse it.

  ;; Lines `event: name`, unless it is `error`, and `data: {…}`, and the blank line.
  (func $event (param $at i32) (result i32)
    (local $start i32) (local $required i32)
    (global.set $seen (i32.const 0))
    (global.set $eventText (i32.const 0))
    (global.set $eventChoice (i32.const 0))
    (global.set $eventCall (i32.const 0))
    (global.set $isCall (i32.const 0))
    (global.set $hasText (i32.const 0))
    (global.set $hasUsage (i32.const 0))
    (global.set $isCounted (i32.const 1))
    (if (i32.eq (i32.load (local.get $at)) (i32.const 0x6e657665))
      (then
        (if (i32.ne (i32.load16_u offset=4 (local.get $at)) (i32.const 0x3a74))
          (then (return (i32.const 0))))
        (local.set $start (call $gap (i32.add (local.get $at) (i32.const 6))))
        (local.set $at (call $lineEnd (local.get $start)))
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x0a))
          (then (return (i32.const 0))))
        (if
          (i32.and
            (i32.eq (i32.sub (local.get $at) (local.get $start)) (i32.const 5))
            (i32.and
              (i32.eq (i32.load (local.get $start)) (i32.const 0x6f727265))
              (i32.eq (i32.load8_u offset=4 (local.get $start)) (i32.const 0x72))))
          (then (return (i32.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (if (i32.ne (i32.load (local.get $at)) (i32.const 0x61746164)) (then (return (i32.const 0))))
    (if (i32.ne (i32.load8_u offset=4 (local.get $at)) (i32.const 0x3a))
      (then (return (i32.const 0))))
    (local.set $at (call $gap (i32.add (local.get $at) (i32.const 5))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (local.set $at
      (call $members
        (i32.add (local.get $at) (i32.const 1))
        (i32.load (global.get $form))
        (i32.const 32)))
    (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load (local.get $at)) (i32.const 0x0a0d0a0d))
      (then (local.set $at (i32.add (local.get $at) (i32.const 2))))
      (else
        (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x0a0a))
          (then (return (i32.const 0))))))
    (if (i32.eqz (global.get $hasText)) (then (return (i32.const 0))))
    (local.set $required (i32.load offset=8 (global.get $form)))
    (if (i32.ne (i32.and (global.get $seen) (local.get $required)) (local.get $required))
      (then (return (i32.const 0))))
    (if (global.get $isCall)
      (then (if (i32.eqz (global.get $eventCall)) (then (return (i32.const 0)))))
      (else (global.set $eventCall (i32.const 0))))
    (if (i32.eqz (global.get $eventChoice)) (then (global.set $eventChoice (i32.const 1))))
    (i32.add (local.get $at) (i32.const 2)))

  ;; One space, if there is one.
  (func $gap (param $at i32) (result i32)
    (i32.add (local.get $at) (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x20))))

  ;; The members of an object whose brace stands before $at. $node holds the names that matter in it. $room is how much
  ;; deeper it may go.
  (func $members (param $at i32) (param $node i32) (param $room i32) (result i32)
    (local $start i32) (local $byte i32) (local $entry i32)
    (if (i32.eqz (local.get $room)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x7d))
      (then (return (i32.add (local.get $at) (i32.const 1)))))
    (loop $next
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22)) (then (return (i32.const 0))))
      (local.set $start (i32.add (local.get $at) (i32.const 1)))
      (local.set $at (call $textEnd (local.get $start)))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      ;; What an escaped name is need not matter where no name does.
      (if (i32.and (global.get $isEscaped) (i32.load16_u (local.get $node)))
        (then (return (i32.const 0))))
      (local.set $entry
        (call $entry
          (local.get $node)
          (local.get $start)
          (i32.sub (local.get $at) (local.get $start))))
      (if (i32.ne (i32.load8_u offset=1 (local.get $at)) (i32.const 0x3a))
        (then (return (i32.const 0))))
      (local.set $at (call $gap (i32.add (local.get $at) (i32.const 2))))
      (if (local.get $entry)
        (then
          (local.set $at (call $known (local.get $at) (local.get $entry) (local.get $room))))
        (else (local.set $at (call $any (local.get $at) (local.get $room)))))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.eq (local.get $byte) (i32.const 0x2c))
        (then
          (local.set $at (call $gap (local.get $at)))
          (br $next)))
      (if (i32.eq (local.get $byte) (i32.const 0x7d)) (then (return (local.get $at)))))
    (i32.const 0))

  ;; The entry of a name in a node, or 0. A node has a list of entries for each length of up to 48 bytes.
  (func $entry (param $node i32) (param $name i32) (param $length i32) (result i32)
    (local $entry i32)
    (if (i32.gt_u (local.get $length) (i32.const 48)) (then (return (i32.const 0))))
    (local.set $entry
      (i32.load16_u offset=2
        (i32.add (local.get $node) (i32.shl (local.get $length) (i32.const 1)))))
    (loop $next
      (if (i32.eqz (local.get $entry)) (then (return (i32.const 0))))
      (if (call $isEqual (local.get $entry) (local.get $name) (local.get $length))
        (then (return (local.get $entry))))
      (local.set $entry (i32.load offset=60 (local.get $entry)))
      (br $next))
    (unreachable))

  (func $isEqual (param $one i32) (param $other i32) (param $length i32) (result i32)
    (local $left i64)
    ;; Bits of the bytes that are left.
    (local.set $left
      (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $length))) (i64.const 1)))
    (loop $next
      (if
        (i32.and
          (i32.wrap_i64 (local.get $left))
          (i8x16.bitmask
            (i8x16.ne (v128.load (local.get $one)) (v128.load (local.get $other)))))
        (then (return (i32.const 0))))
      (local.set $one (i32.add (local.get $one) (i32.const 16)))
      (local.set $other (i32.add (local.get $other) (i32.const 16)))
      (local.set $left (i64.shr_u (local.get $left) (i64.const 16)))
      (br_if $next (i64.ne (local.get $left) (i64.const 0))))
    (i32.const 1))

  ;; The value of a member that matters. An entry is 48 bytes of name, its role, what the role needs, its bit, the next one.
  (func $known (param $at i32) (param $entry i32) (param $room i32) (result i32)
    (local $role i32) (local $more i32) (local $bit i32) (local $byte i32) (local $start i32)
    (local.set $role (i32.load offset=48 (local.get $entry)))
    (local.set $more (i32.load offset=52 (local.get $entry)))
    (local.set $bit (i32.load offset=56 (local.get $entry)))
    ;; Of two members with one name, the last one counts.
    (if (i32.and (global.get $seen) (local.get $bit)) (then (return (i32.const 0))))
    (global.set $seen (i32.or (global.get $seen) (local.get $bit)))
    (local.set $byte (i32.load8_u (local.get $at)))
    (local.set $start (i32.add (local.get $at) (i32.const 1)))
    ;; All but the first five may be null.
    (if (i32.ge_u (local.get $role) (i32.const 5))
      (then
        (if (i32.eq (local.get $byte) (i32.const 0x6e)) (then (return (call $any (local.get $at) (local.get $room)))))))
    (block $usage
      (block $list
        (block $object
          (block $count
            (block $text
              (block $none
                (block $repeats
                  (block $index
                    (block $word
                      (block $never
                        (block $loose
                          (br_table $loose $never $word $index $repeats $none $text $count $object $list $list $usage
                            (local.get $role)))
                        ;; A text anywhere.
                        (if (i32.eq (local.get $byte) (i32.const 0x7b)) (then (return (i32.const 0))))
                        (if (i32.ne (local.get $byte) (i32.const 0x22))
                          (then (return (call $any (local.get $at) (local.get $room)))))
                        (return (call $text (local.get $start))))
                      (return (i32.const 0)))
                    ;; One of the words in a node.
                    (if (i32.ne (local.get $byte) (i32.const 0x22)) (then (return (i32.const 0))))
                    (local.set $at (call $textEnd (local.get $start)))
                    (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
                    (local.set $entry
                      (call $entry
                        (local.get $more)
                        (local.get $start)
                        (i32.sub (local.get $at) (local.get $start))))
                    (if (i32.eqz (local.get $entry)) (then (return (i32.const 0))))
                    ;; Some words are those of calls.
                    (if (i32.load offset=52 (local.get $entry))
                      (then (global.set $isCall (i32.const 1))))
                    (return (i32.add (local.get $at) (i32.const 1))))
                  ;; The index of a choice, or of a call: one digit. Of what is no call it may be longer.
                  (local.set $byte (i32.sub (local.get $byte) (i32.const 0x30)))
                  (local.set $at (call $digits (local.get $at)))
                  (if (i32.ne (local.get $at) (local.get $start))
                    (then
                      (if (i32.eqz (i32.and (i32.ne (local.get $byte) (i32.const 0)) (local.get $more)))
                        (then (return (i32.const 0))))
                      (return (local.get $at))))
                  (local.set $byte (i32.shl (i32.const 1) (local.get $byte)))
                  (if (local.get $more)
                    (then (global.set $eventCall (local.get $byte)))
                    (else (global.set $eventChoice (local.get $byte))))
                  (return (local.get $at)))
                ;; What repeats the text of another member.
                (if (i32.eqz (i32.and (global.get $seen) (local.get $more))) (then (return (i32.const 0))))
                (global.set $isCounted (i32.const 0))
                (return (call $any (local.get $at) (local.get $room))))
              (return (i32.const 0)))
            (if (i32.ne (local.get $byte) (i32.const 0x22)) (then (return (i32.const 0))))
            (local.set $at (call $text (local.get $start)))
            (if (i32.gt_u (local.get $at) (i32.add (local.get $start) (i32.const 1)))
              (then (global.set $hasText (i32.const 1))))
            (return (local.get $at)))
          ;; A count of up to twelve digits.
          (local.set $at (call $digits (local.get $at)))
          (if (i32.gt_u (local.get $at) (i32.add (local.get $start) (i32.const 11)))
            (then (return (i32.const 0))))
          (if
            (i32.and
              (i32.eq (local.get $byte) (i32.const 0x30))
              (i32.ne (local.get $at) (local.get $start)))
            (then (return (i32.const 0))))
          (global.set $hasCount (i32.const 1))
          (return (local.get $at)))
        (if (i32.ne (local.get $byte) (i32.const 0x7b)) (then (return (i32.const 0))))
        (return
          (call $members
            (local.get $start)
            (local.get $more)
            (i32.sub (local.get $room) (i32.const 1)))))
      ;; A list of one object, which may be that of calls.
      (if (i32.eq (local.get $role) (i32.const 10)) (then (global.set $isCall (i32.const 1))))
      (if (i32.ne (i32.load16_u (local.get $at)) (i32.const 0x7b5b)) (then (return (i32.const 0))))
      (local.set $at
        (call $members
          (i32.add (local.get $at) (i32.const 2))
          (local.get $more)
          (i32.sub (local.get $room) (i32.const 1))))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5d)) (then (return (i32.const 0))))
      (return (i32.add (local.get $at) (i32.const 1))))
    ;; An object with at least one count.
    (if (i32.ne (local.get $byte) (i32.const 0x7b)) (then (return (i32.const 0))))
    (global.set $hasUsage (i32.const 1))
    (global.set $hasCount (i32.const 0))
    (local.set $at
      (call $members
        (local.get $start)
        (local.get $more)
        (i32.sub (local.get $room) (i32.const 1))))
    (if (i32.eqz (global.get $hasCount)) (then (return (i32.const 0))))
    (local.get $at))

  ;; A text whose bytes count.
  (func $text (param $start i32) (result i32)
    (local $end i32)
    (local.set $end (call $textEnd (local.get $start)))
    (if (i32.eqz (local.get $end)) (then (return (i32.const 0))))
    (global.set $eventText
      (i32.add
        (global.get $eventText)
        (i32.mul (global.get $isCounted) (i32.sub (local.get $end) (local.get $start)))))
    (i32.add (local.get $end) (i32.const 1)))

  ;; A value that does not matter.
  (func $any (param $at i32) (param $room i32) (result i32)
    (local $byte i32) (local $word i32)
    (local.set $byte (i32.load8_u (local.get $at)))
    (if (i32.eq (local.get $byte) (i32.const 0x22))
      (then
        (local.set $at (call $textEnd (i32.add (local.get $at) (i32.const 1))))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
        (return (i32.add (local.get $at) (i32.const 1)))))
    (if (i32.eq (local.get $byte) (i32.const 0x7b))
      (then
        (return
          (call $members
            (i32.add (local.get $at) (i32.const 1))
            (i32.load offset=4 (global.get $form))
            (i32.sub (local.get $room) (i32.const 1))))))
    (if (i32.eq (local.get $byte) (i32.const 0x5b))
      (then
        (return
          (call $items
            (i32.add (local.get $at) (i32.const 1))
            (i32.sub (local.get $room) (i32.const 1))))))
    (local.set $word (i32.load (local.get $at)))
    (if
      (i32.or
        (i32.eq (local.get $word) (i32.const 0x6c6c756e))
        (i32.eq (local.get $word) (i32.const 0x65757274)))
      (then (return (i32.add (local.get $at) (i32.const 4)))))
    (if (i32.eq (local.get $word) (i32.const 0x736c6166))
      (then
        (if (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x65))
          (then (return (i32.add (local.get $at) (i32.const 5)))))))
    (call $number (local.get $at)))

  ;; The items of a list whose bracket stands before $at.
  (func $items (param $at i32) (param $room i32) (result i32)
    (local $byte i32)
    (if (i32.eqz (local.get $room)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x5d))
      (then (return (i32.add (local.get $at) (i32.const 1)))))
    (loop $next
      (local.set $at (call $any (local.get $at) (local.get $room)))
      (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.eq (local.get $byte) (i32.const 0x2c))
        (then
          (local.set $at (call $gap (local.get $at)))
          (br $next)))
      (if (i32.eq (local.get $byte) (i32.const 0x5d)) (then (return (local.get $at)))))
    (i32.const 0))

  ;; RFC 8259, 6.
  (func $number (param $at i32) (result i32)
    (local $byte i32)
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x30))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1))))
      (else
        (local.set $at (call $digits (local.get $at)))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e))
      (then
        (local.set $at (call $digits (i32.add (local.get $at) (i32.const 1))))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x65))
      (then
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (if
          (i32.or
            (i32.eq (local.get $byte) (i32.const 0x2b))
            (i32.eq (local.get $byte) (i32.const 0x2d)))
          (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (return (call $digits (local.get $at)))))
    (local.get $at))

  ;; At least one digit.
  (func $digits (param $at i32) (result i32)
    (local $start i32)
    (local.set $start (local.get $at))
    (loop $next
      (if (i32.lt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)) (i32.const 10))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (i32.mul (local.get $at) (i32.ne (local.get $at) (local.get $start))))

  ;; The place of the quote that ends the text that begins at $at (RFC 8259, 7). Sets $isEscaped.
  (func $textEnd (param $at i32) (result i32)
    (local $block v128) (local $mask i32) (local $byte i32) (local $last i32)
    (global.set $isEscaped (i32.const 0))
    (loop $next
      (local.set $block (v128.load (local.get $at)))
      (local.set $mask
        (i8x16.bitmask
          (v128.or
            (i8x16.lt_u (local.get $block) (i8x16.splat (i32.const 0x20)))
            (v128.or
              (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x5c)))))))
      (if (i32.eqz (local.get $mask))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br $next)))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $byte) (i32.const 0x22)) (then (return (local.get $at))))
      (if (i32.ne (local.get $byte) (i32.const 0x5c)) (then (return (i32.const 0))))
      (global.set $isEscaped (i32.const 1))
      (local.set $byte (i32.load8_u offset=1 (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (br_if $next (call $isEscape (local.get $byte)))
      (if (i32.ne (local.get $byte) (i32.const 0x75)) (then (return (i32.const 0))))
      (local.set $last (i32.add (local.get $at) (i32.const 4)))
      (loop $digit
        (if (i32.eqz (call $isHex (i32.load8_u (local.get $at)))) (then (return (i32.const 0))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $digit (i32.lt_u (local.get $at) (local.get $last))))
      (br $next))
    (unreachable))

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
        (i32.const 6)))))
