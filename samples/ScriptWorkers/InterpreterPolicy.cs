using Poolhouse.Workers;

namespace Poolhouse.Samples.ScriptWorkers;

// snippet: workers-policy
internal sealed class InterpreterPolicy(Library library) : WorkerPolicy<Interpreter>
{
    public override Interpreter Create(CancellationToken cancellationToken) => new(library);

    // Scripts leave names behind; too many of them are a leak.
    public override bool IsBroken(Interpreter state) => state.Names > 100;

    // A script that cannot be parsed does not damage the interpreter.
    public override bool Survives(Interpreter state, Exception failure) => failure is FormatException;

    public override void Destroy(Interpreter state, WorkerDestroyReason reason) => state.Dispose();
}
// end snippet
