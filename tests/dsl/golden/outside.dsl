(cbu.ensure :name "A" :jurisdiction "LU" :as @a)
(terminal.run :cmd @a)
