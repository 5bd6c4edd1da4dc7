(cbu.assign-role :cbu-id @fund :entity-id @john :role "DIRECTOR")
(entity.create-proper-person :first-name "John" :last-name "Smith" :as @john)
(cbu.ensure :name "Test Fund" :jurisdiction "LU" :as @fund)
