import { Group, Modal } from '@mantine/core'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/ScrollArea.css'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly size?: 'md' | 'lg'
  readonly children: ReactNode
}

/** A modal dialog. */
export function Dialog({ title, isOpen, onClose, size = 'md', children }: DialogProps) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size={size} closeOnClickOutside={false}>
      <Modal.Overlay />
      <Modal.Content>
        {/* The library's own header is a landmark, and the page already has one. */}
        <Group justify="space-between" wrap="nowrap" p="1rem">
          <Modal.Title fz="1.15rem" fw={600}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label={texts.close} />
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
