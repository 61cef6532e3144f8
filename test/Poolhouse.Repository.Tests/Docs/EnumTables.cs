using Poolhouse.Http;
using Poolhouse.Ldap;
using Poolhouse.Servers;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Repository.Tests.Docs;

public sealed class EnumTables
{
    [Theory]
    [InlineData("resources.md", typeof(DestroyReason))]
    [InlineData("resources.md", typeof(RentPhase))]
    [InlineData("resources.md", typeof(ServerHealth))]
    [InlineData("resources.md", typeof(ServerSelection))]
    [InlineData("http.md", typeof(BulkheadRejection))]
    [InlineData("http.md", typeof(SelectionStrategy))]
    [InlineData("ldap.md", typeof(LdapSecurity))]
    [InlineData("ldap.md", typeof(LdapValidation))]
    [InlineData("ldap.md", typeof(LdapRetries))]
    [InlineData("shared.md", typeof(SelectionStrategy))]
    [InlineData("testing.md", typeof(FaultProxyMode))]
    [InlineData("workers.md", typeof(QueueFullMode))]
    [InlineData("workers.md", typeof(WorkDropReason))]
    [InlineData("workers.md", typeof(WorkerDestroyReason))]
    [InlineData("workers.md", typeof(WorkPhase))]
    public void The_table_names_every_value(string page, Type type) =>
        AssertNamed(Enum.GetNames(type), page, $"values: {type.Name}");

    [Fact]
    public void The_table_names_every_toxic() => AssertNamed(
        typeof(Toxic).Assembly.GetExportedTypes().Where(type => type.IsSubclassOf(typeof(Toxic))).Select(type => type.Name),
        "testing.md",
        "toxics");

    private static void AssertNamed(IEnumerable<string> names, string page, string table) => Assert.Equal(
        names.Select(name => $"`{name}`").Order(StringComparer.Ordinal),
        MarkdownFile.Read("docs", "guides", page).Table(table).Select(row => row[0]).Order(StringComparer.Ordinal));
}
