using Poolhouse.Samples.PoolTests;
using Poolhouse.Samples.TcpPool;

await Scripts.FailOnceAsync();
await Histories.CheckAsync();
await Contracts.RunAsync();

using var server = new EchoServer();
await Faults.AnswerLateAsync(server);
await Faults.GoDownAsync(server);
await Faults.CutOffAsync(server);
