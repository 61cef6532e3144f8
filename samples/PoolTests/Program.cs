using Poolhouse.Samples.PoolTests;
using Poolhouse.Samples.TcpPool;

await Scripts.FailOnceAsync();
await Histories.CheckAsync();

using var server = new EchoServer();
await Faults.AnswerLateAsync(server);
await Faults.GoDownAsync(server);
await Faults.CutOffAsync(server);

if (Directories.HasClient())
{
    await Directories.FindAsync();
    await Directories.WatchIdentityAsync();
    await Directories.LoseAsync();
}
else
{
    Console.WriteLine("No LDAP client: the native library libldap (Debian: libldap-2.5-0) is missing.");
}
