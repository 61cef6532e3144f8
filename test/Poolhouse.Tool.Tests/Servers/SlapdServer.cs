using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Tests.Ldap.InProcess;
using Poolhouse.Tool.Tests.Servers;

[assembly: AssemblyFixture(typeof(SlapdServer))]

namespace Poolhouse.Tool.Tests.Servers;

/// <summary>The OpenLDAP server that the tests of this assembly share. It starts with the first test that needs it.</summary>
/// <remarks>If none is available, the test is skipped with the reason.</remarks>
public sealed class SlapdServer : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private Task<TemporarySlapd>? _server;

    /// <summary>The port of the server, whose directory is that of <see cref="Country"/>.</summary>
    public async Task<int> GetPortAsync()
    {
        SkipWithoutServer();
        return (await StartOnceAsync()).Port;
    }

    /// <summary>A server of the test's own, which it may restart and freeze. The test disposes it.</summary>
    internal static Task<TemporarySlapd> StartOwnAsync(TemporarySlapdOptions? options = null)
    {
        SkipWithoutServer();
        return TemporarySlapd.StartAsync(options ?? Options);
    }

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await (await _server).DisposeAsync();
        }
    }

    private static TemporarySlapdOptions Options => new() { BaseDn = Country.Base, Ldif = Country.Ldif };

    private Task<TemporarySlapd> StartOnceAsync()
    {
        lock (_gate)
        {
            return _server ??= TemporarySlapd.StartAsync(Options);
        }
    }

    private static void SkipWithoutServer() => Assert.SkipUnless(TemporarySlapd.TryFind(out var reason), reason);
}
