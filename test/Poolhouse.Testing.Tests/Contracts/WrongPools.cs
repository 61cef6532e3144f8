namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>The contract must find every seeded bug, by the check that is about it.</summary>
public sealed class WrongPools
{
    public static IEnumerable<TheoryDataRow<string>> Bugs => WrongVariants.All.Select(variant => new TheoryDataRow<string>(variant.Bug));

    [Theory]
    [MemberData(nameof(Bugs))]
    public async Task Are_found(string bug)
    {
        var variant = WrongVariants.All.Single(one => string.Equals(one.Bug, bug, StringComparison.Ordinal));
        var contract = new WrongContract(variant) { Patience = TimeSpan.FromSeconds(1) };
        var check = contract.Checks.Single(one => string.Equals(one.Name, variant.Check, StringComparison.Ordinal));

        var violation = await Assert.ThrowsAsync<ContractViolationException>(check.RunAsync);

        Assert.Contains(variant.Check, violation.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_of_checks_are_unique_and_promises_are_numbered()
    {
        var checks = new WrongContract(new WrongVariant("none", "none")).Checks;

        Assert.Equal(checks.Count, checks.Select(check => check.Name).Distinct(StringComparer.Ordinal).Count());
        Assert.All(checks, check => Assert.Matches("^I[0-9]+$", check.Promise));
    }
}
