using System.Globalization;
using System.Reflection;
using Poolhouse.Buffers;
using Poolhouse.Diagnostics;
using Poolhouse.Objects;

namespace Poolhouse.House.Tests.Docs;

public sealed class OptionTables
{
    public static TheoryData<string, CacheOptions> Tables => new()
    {
        { "objects.md", new ObjectPoolOptions() },
        { "arrays.md", new ArrayPoolOptions() },
    };

    [Theory]
    [MemberData(nameof(Tables), DisableDiscoveryEnumeration = true)]
    public void The_table_names_every_option_with_its_real_default(string page, CacheOptions options)
    {
        var documented = MarkdownFile.Read("docs", "guides", page).Table($"options: {options.GetType().Name}");
        var real = options.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Select(property => $"`{property.Name}` = {Show(property.GetValue(options))}");

        Assert.Equal(
            real.Order(StringComparer.Ordinal), documented.Select(row => $"{row[0]} = {row[1]}").Order(StringComparer.Ordinal));
    }

    // One spelling for each kind of value; a new kind of option has to choose its own here.
    private static string Show(object? value) => value switch
    {
        null => "`null`",
        int number => number.ToString("N0", CultureInfo.InvariantCulture),
        long bytes => $"{bytes.ToString("N0", CultureInfo.InvariantCulture)} ({bytes >> 20} MiB)",
        TimeSpan time => $"{time.TotalMinutes.ToString(CultureInfo.InvariantCulture)} minutes",
        Enum choice => $"`{choice}`",
        TimeProvider clock when clock == TimeProvider.System => "`TimeProvider.System`",
        MemoryPressureSource source when source == MemoryPressureSource.GarbageCollector =>
            "`MemoryPressureSource.GarbageCollector`",
        _ => throw new InvalidOperationException($"How do the docs write a {value.GetType()}?"),
    };
}
