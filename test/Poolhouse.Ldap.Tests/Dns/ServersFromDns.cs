using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Dns;

/// <summary>A pool that takes its servers from a real DNS server.</summary>
// The C library queries only port 53 of the machine's name servers, so the scenarios run in separate namespaces, one after
// another.
public sealed class ServersFromDns
{
    private const string Setup =
        """
        ip link set lo up
        mount --bind "$1/resolv.conf" /etc/resolv.conf
        mount --bind "$1/hosts" /etc/hosts
        mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
        """;

    [Fact]
    public async Task All_scenarios_run_in_a_separate_network()
    {
        TestDirectory.SkipWithoutLibrary();
        Assert.SkipUnless(DnsServer.TryFind(out var reason), reason);
        Assert.SkipUnless(ServerPrograms.Find("ip") is not null, "ip (of iproute2) is not installed");
        using var folder = ServerFolder.Create();
        await WriteAsync("resolv.conf", "nameserver 127.0.0.1", "options timeout:10 attempts:2");
        await WriteAsync("hosts", "127.0.0.1 localhost", $"127.0.0.1 {DnsScenarios.NameWithoutDns}.example.test");
        await WriteAsync("nsswitch.conf", "passwd: files", "group: files", "hosts: files dns");
        await OwnNamespaces.SkipWithoutAsync(Setup, folder.Path);

        await OwnNamespaces.RunAsync(typeof(DnsScenarios), method: null, Setup, folder.Path);

        Task WriteAsync(string name, params string[] lines) =>
            File.WriteAllLinesAsync(folder.At(name), lines, TestContext.Current.CancellationToken);
    }
}
