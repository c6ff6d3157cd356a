import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './styles.ts'

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
