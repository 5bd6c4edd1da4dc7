(cbu.ensure :name "Tést" :jurisdiction "LU"
(cbu.list)
	(cbu.show :cbu-id 世界)
(cbu.tag :cbu-id @x :tags ["a", "b"])
(cbu.show cbu-id "x
hello
