using Poolhouse.Resources;

namespace Poolhouse.House.Tests.Docs;

public sealed class EnumTables
{
    [Theory]
    [InlineData(typeof(DestroyReason))]
    [InlineData(typeof(RentPhase))]
    [InlineData(typeof(ServerHealth))]
    [InlineData(typeof(ServerSelection))]
    public void The_table_names_every_value(Type type) => Assert.Equal(
        Enum.GetNames(type).Select(name => $"`{name}`").Order(StringComparer.Ordinal),
        MarkdownFile.Read("docs", "guides", "resources.md").Table($"values: {type.Name}").Select(row => row[0]).Order(StringComparer.Ordinal));
}
