; three statements, two phases
(cbu.ensure :name "Test Fund" :jurisdiction "LU" :as @fund)
(entity.create-proper-person :first-name "John" :last-name "Smith" :as @john)
(cbu.assign-role :cbu-id @fund :entity-id @john :role "DIRECTOR")
