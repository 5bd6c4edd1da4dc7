(cbu.assign-role :cbu-id "Apex" :entity-id "John Smith" :role "DIRECTOR")
(entity.group :members ["Ann" @p (entity.create-proper-person :first-name "A" :last-name "B")])
(entity.create-proper-person :first-name "P" :last-name "Q" :as @p)
