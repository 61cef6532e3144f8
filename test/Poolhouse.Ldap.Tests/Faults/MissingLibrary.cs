using Poolhouse.Ldap.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Faults;

/// <summary>A machine without libldap.</summary>
public sealed class MissingLibrary
{
    private const string Package = "Install libldap-2.5-0 (Debian 12)";

    // An empty file is no library.
    private const string Setup =
        """
        for library in $(ldconfig -p | sed -n 's/.*libldap[^/]* => //p'); do
          mount --bind "$1" "$library"
        done
        """;

    [Theory]
    [InlineData(nameof(Without_libldap_the_first_creation_names_the_package_to_install))]
    [InlineData(nameof(Without_libldap_the_first_lookup_names_the_package_to_install))]
    public async Task Runs_in_a_process_without_libldap(string scenario)
    {
        TestDirectory.SkipWithoutLibrary();
        using var folder = ServerFolder.Create();
        var empty = folder.At("empty");
        await File.WriteAllTextAsync(empty, "", TestContext.Current.CancellationToken);
        await OwnNamespaces.SkipWithoutAsync(Setup, empty);

        await OwnNamespaces.RunAsync(typeof(MissingLibrary), scenario, Setup, empty);
    }

    [Fact(Explicit = true)]
    public Task Without_libldap_the_first_creation_names_the_package_to_install() =>
        IsToldAsync(new LdapPoolOptions { Servers = { "127.0.0.1" } });

    [Fact(Explicit = true)]
    public Task Without_libldap_the_first_lookup_names_the_package_to_install() =>
        IsToldAsync(new LdapPoolOptions { DnsDomain = "example.test" });

    private static async Task IsToldAsync(LdapPoolOptions options)
    {
        await using var pool = new LdapConnectionPool(options);
        var failure = await Assert.ThrowsAsync<DllNotFoundException>(
            () => Patience.WithinAsync(pool.WhoAmIAsync(TestContext.Current.CancellationToken).AsTask()));

        // Not the first in this process any more, which .NET has another exception for.
        await using var next = new LdapConnectionPool(options);
        var blocking = Assert.Throws<DllNotFoundException>(() => next.Rent(TestContext.Current.CancellationToken));

        Assert.All([failure, blocking], each => Assert.Contains(Package, each.Message, StringComparison.Ordinal));
    }
}
