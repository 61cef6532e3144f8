using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>Measures the memory of the whole process, so no other test may run meanwhile.</summary>
[CollectionDefinition(nameof(AnnouncedLengths), DisableParallelization = true)]
[Collection(nameof(AnnouncedLengths))]
public sealed class AnnouncedLengths : IAsyncDisposable
{
    private readonly LdapTestServer _server = Country.Start(new LdapTestServerOptions { MaxMessageSize = 64 * 1024 });

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Fact]
    public async Task Announced_lengths_allocate_no_memory()
    {
        var clients = new List<RawClient>();
        var before = GC.GetTotalMemory(forceFullCollection: true);
        try
        {
            // Each promises 64 KiB and sends six bytes.
            for (var i = 0; i < 200; i++)
            {
                var client = await RawClient.ConnectAsync(_server);
                clients.Add(client);
                await client.SendAsync(new byte[] { 0x30, 0x82, 0xF0, 0x00, 0x02, 0x01 });
            }

            await Patience.UntilAsync(() => _server.Connections == clients.Count);
            var grown = GC.GetTotalMemory(forceFullCollection: true) - before - (200L * RawClient.BufferSize);

            Assert.InRange(grown, long.MinValue, 200L * 30_000);
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }
    }
}
