(cbu.ensure :name "A" :jurisdiction "LU" :as @a)
(cbu.show :cbu-id @a)
(cbu.ensure :name "B" :jurisdiction "LU" :as @b)
(cbu.show :cbu-id @b)
