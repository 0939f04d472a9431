# Boots systemd as process 1 of new namespaces, on a copy of this system that is kept in memory: the
# arguments are an empty folder and the folder of the project, which is at /srv/cageside in there.
set -e
mount --make-rprivate /
root=$1/root
mkdir -p "$1/memory" "$root"
mount -t tmpfs tmpfs "$1/memory"
mkdir "$1/memory/upper" "$1/memory/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/memory/upper,workdir=$1/memory/work" "$root"
mkdir -p "$root/srv/cageside" "$root/before"
mount --bind "$2" "$root/srv/cageside"
cd "$root"
mount -t proc proc proc
mount --rbind /dev dev
for folder in run tmp sys; do mount -t tmpfs tmpfs $folder; done
mkdir -p sys/fs/cgroup
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mkdir sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
fi
pivot_root . before
cd /
umount -l /before
# The credentials of a unit are mounted in another namespace.
mount --make-rshared /
# Services of this system, such as databases, belong to no target that is started here.
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --unit=basic.target --log-target=journal --show-status=0
