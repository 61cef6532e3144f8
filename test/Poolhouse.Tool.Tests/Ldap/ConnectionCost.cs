using System.DirectoryServices.Protocols;
using Poolhouse.Tool.Bench.Ldap;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap;

[Collection(nameof(InProcess.BlockingClients))]
public sealed class ConnectionCost
{
    [Fact]
    public async Task A_connection_that_is_lost_is_not_measured()
    {
        Assert.SkipUnless(LdapLibrary.TryFind(out var reason), reason);
        await using var server = LdapTestServer.Start();
        var (source, target) = SourceOf(server);
        server.Faults.DropAfterOperations(20);

        Assert.InRange(source.PriceOfAConnection(target, TestContext.Current.CancellationToken), double.Epsilon, double.MaxValue);
        Assert.Equal(101, server.ConnectionsAccepted);
    }

    [Fact]
    public async Task An_unreachable_server_ends_the_measurement()
    {
        Assert.SkipUnless(LdapLibrary.TryFind(out var reason), reason);
        await using var server = LdapTestServer.Start();
        var (source, target) = SourceOf(server);
        server.Faults.RefuseConnections = true;

        var failure =
            Assert.Throws<LdapException>(() => source.PriceOfAConnection(target, TestContext.Current.CancellationToken));
        Assert.Equal(81, failure.ErrorCode);
    }

    private static (LdapSource Source, LdapTarget Target) SourceOf(LdapTestServer server)
    {
        var target = new LdapTarget { Host = server.Host, Port = server.Port };
        return (new LdapSource(target), target);
    }
}
