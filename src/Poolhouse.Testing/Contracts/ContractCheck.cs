using Poolhouse.Testing.Contracts.Internal;

namespace Poolhouse.Testing;

/// <summary>One check of a contract: a promise, and the code that tries to break it.</summary>
public sealed class ContractCheck
{
    private readonly ResourcePoolContract _contract;
    private readonly Func<ContractTrial, Task> _run;

    internal ContractCheck(ResourcePoolContract contract, string promise, string name, Func<ContractTrial, Task> run)
    {
        _contract = contract;
        _run = run;
        Promise = promise;
        Name = name;
    }

    /// <summary>The promise, by its number in the design: "I1" to "I30".</summary>
    public string Promise { get; }

    /// <summary>What must hold, as a sentence; unique in its contract.</summary>
    public string Name { get; }

    /// <summary>Creates its own pools, tries to break the promise, and disposes the pools.</summary>
    /// <returns>A task that completes successfully if the promise was kept.</returns>
    /// <exception cref="ContractViolationException">The promise was broken; the message describes which promise and
    /// how.</exception>
    public async Task RunAsync()
    {
        var trial = new ContractTrial(_contract);
        try
        {
            await trial.RunAsync(_run).ConfigureAwait(false);
        }
        catch (ContractViolationException violation)
        {
            trial.Abandon();
            throw new ContractViolationException($"{Promise}: {Name}. {violation.Message}", violation.InnerException);
        }
#pragma warning disable CA1031 // Whatever the pool throws where it should not is a violation.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            trial.Abandon();
            throw new ContractViolationException(
                $"{Promise}: {Name}. But {failure.GetType().Name} was thrown: {failure.Message}", failure);
        }
    }

    /// <inheritdoc/>
    public override string ToString() => Name;
}
