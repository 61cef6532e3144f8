using Poolhouse.Samples.PoolTests;
using Poolhouse.Samples.TcpPool;

await Scripts.FailOnceAsync();
await Histories.CheckAsync();
Leaks.Find();

using var server = new EchoServer();
await Faults.AnswerLateAsync(server);
await Faults.GoDownAsync(server);
await Faults.CutOffAsync(server);

if (Directories.Missing is { } missing)
{
    Console.WriteLine($"No directory: {missing}.");
}
else
{
    await Directories.FindAsync();
}
