using MSTestCases = Poolhouse.Samples.ContractTests.MSTestTests.PoolKeepsItsPromises;
using NUnitCases = Poolhouse.Samples.ContractTests.NUnitTests.PoolKeepsItsPromises;
using XunitCases = Poolhouse.Samples.ContractTests.XunitTests.PoolKeepsItsPromises;

// What a runner does: read the names, and run one test for each.
string[][] frameworks =
[
    [.. XunitCases.Checks.Select(row => row.Data)],
    [.. NUnitCases.Checks],
    [.. MSTestCases.Checks.Select(row => (string)row[0])],
];
if (frameworks.Any(names => !names.SequenceEqual(frameworks[0])))
{
    return 1;
}

using (new Poolhouse.Testing.LeakCheck())
{
    new Poolhouse.Samples.ContractTests.XunitTests.ReportTests().Leaves_nothing_rented();
    new Poolhouse.Samples.ContractTests.NUnitTests.ReportTests().Leaves_nothing_rented();
    new Poolhouse.Samples.ContractTests.MSTestTests.ReportTests().Leaves_nothing_rented();
    Console.WriteLine("No leaks in any framework.");
}

foreach (var name in frameworks[0].Where(name => name.StartsWith("An item has", StringComparison.Ordinal)))
{
    await new XunitCases().Keeps(name);
    await new NUnitCases().Keeps(name);
    await new MSTestCases().Keeps(name);
    Console.WriteLine($"Kept: {name}");
}

Console.WriteLine($"{frameworks[0].Length} checks in each framework.");
return 0;
