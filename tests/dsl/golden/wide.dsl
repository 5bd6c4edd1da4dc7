(cbu.ensure :name "世界世界" :jurisdiction 5) (cbu.ensure :name "a very long name that goes on and on and on, past the end of any screen" :jurisdiction true)
